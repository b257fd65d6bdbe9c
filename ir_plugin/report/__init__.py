"""Views of a model, of its findings, of a run and of a comparison, as data, text and HTML."""
