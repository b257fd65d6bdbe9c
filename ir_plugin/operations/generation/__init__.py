"""Operations that generate values: ranges, identity matrices, random numbers."""
