"""Writing models as ONNX: a function for each operation, and the graph, its values and its weights in a file."""
