"""Operations on images: resizing, sampling, colour formats."""
