"""Products and inverses of matrices, and Einsum."""
