"""Products of matrices and what is akin to them."""
