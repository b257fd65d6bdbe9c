"""Operations on booleans."""
