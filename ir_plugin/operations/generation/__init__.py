"""Operations that make values: ranges, identity matrices, random numbers."""
