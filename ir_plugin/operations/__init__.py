"""The operations, by the families of the specification, with their base classes and shared helpers."""
