"""Operations on the bits of whole numbers."""
