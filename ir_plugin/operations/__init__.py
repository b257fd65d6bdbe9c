"""The operations: one module each, in the families of the specification, and what they share."""
