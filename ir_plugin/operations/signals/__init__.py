"""Operations on signals: Fourier transforms."""
