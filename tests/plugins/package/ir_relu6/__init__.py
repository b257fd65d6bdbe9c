"""A plugin of ir_plugin: one operation with a schema of its own."""
