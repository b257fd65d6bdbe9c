"""Variants of layers, ports, edges and bodies."""

from __future__ import annotations

from tests.hostile.bases import edge, layer, net, port
from tests.hostile.variant import Edit, Variant, cut, cut_layer, cut_within, every, swap, within

SPARE = layer(9, "spare", "ReLU", "", [port(0, [1, 3, 8, 8])], [port(1, [1, 3, 8, 8])])
NOPE = layer(9, "spare", "Frobnicate", "", [port(0, [1, 3, 8, 8])], [port(1, [1, 3, 8, 8])])
LATER = layer(10, "later", "ReLU", "", [port(0, [1, 3, 8, 8])], [port(1, [1, 3, 8, 8])])
RELU = layer(5, "relu", "ReLU", "", [port(0, [1, 4, 8, 8])], [port(1, [1, 4, 8, 8])])
END = "    </layers>\n"
TO_SPARE = '        <edge from-layer="0" from-port="0" to-layer="9" to-port="0"/>\n    </edges>'

LAYERS = [
    *(Variant(f"a layer without {name}", (within("relu", f' {name}="{value}"', ""),), "IR103", at)
      for name, value, at in (("id", "5", '<layer name="relu"'), ("type", "ReLU", "relu: <layer"),
                              ("version", "opset1", "relu: <layer"))),
    Variant("a layer without name", (swap(' name="relu"', ""),), "IR103", '<layer id="5"'),
    Variant("a misspelled name", (swap(' name="relu"', ' nme="relu"'),), "IR103", '<layer id="5"', also=("IR101",)),
    Variant("an id that is not a number", (swap('id="5"', 'id="five"'),), "IR102", 'id="five"'),
    Variant("a negative id", (swap('id="5"', 'id="-5"'),), "IR102", 'id="-5"'),
    Variant("an id of 400 digits", (swap('id="5"', f'id="{"5" * 400}"'),), "IR102", 'id="555'),
    Variant("an id used twice", (swap('id="5"', 'id="0"'),), "IR201", "relu: <layer"),
    Variant("a Result with the id of another layer", (swap('id="6"', 'id="5"'),), "IR201", "out: <layer"),
    Variant("a name used twice", (swap('name="relu"', 'name="conv"'),), "IR202", '<layer id="5"'),
    Variant("an empty name", (swap('name="relu"', 'name=""'),)),
    Variant("layers in another order", (cut_layer("x"), swap(END, layer(
        0, "x", "Parameter", 'shape="1,3,8,8" element_type="f32"', (), [port(0, [1, 3, 8, 8], names="x")]) + END))),
    Variant("an unknown attribute of a layer", (swap('name="relu"', 'name="relu" precision="FP32"'),),
            "IR101", "relu: <layer"),
    Variant("a layer that nothing reads", (swap(END, SPARE + END), swap("    </edges>", TO_SPARE)), "IR209",
            "spare: <layer"),
    Variant("an unknown type that nothing reads", (swap(END, NOPE + END), swap("    </edges>", TO_SPARE)), "IR209",
            "spare: <layer"),
    Variant("a misspelled tag of a layer", (within("relu", "<layer", "<Layer"),
            swap('</layer>\n        <layer id="6"', '</Layer>\n        <layer id="6"')),
            "IR107", "<Layer"),
    Variant("an edge among the layers", (cut('        <edge from-layer="4"', "/>\n"), swap(
        END, '        <edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>\n' + END)), "IR107",
            '<edge from-layer="4"'),
    Variant("a layer among the edges", (cut_layer("relu"), swap("    </edges>", RELU + "    </edges>")), "IR107",
            "relu: <layer"),
    Variant("a second list of layers", (swap("    <edges>", "    <layers></layers>\n    <edges>"),), "IR107",
            "<layers></layers>"),
    Variant("a second list of edges", (swap("    <rt_info/>", "    <edges></edges>\n    <rt_info/>"),), "IR107",
            "<edges></edges>"),
    Variant("two layers that nothing reads, one behind the other", (swap(END, SPARE + LATER + END), swap(
        "    </edges>", TO_SPARE[:-13] + edge(9, 1, 10, 0) + "    </edges>")), "IR209", "later: <layer"),
    Variant("a deleted layer", (cut_layer("relu"),), "IR204", 'to-layer="5"'),
    Variant("a deleted Parameter", (cut_layer("x"),), "IR204", 'from-layer="0"'),
]  # fmt: skip

TYPES = [
    Variant("an unknown type", (swap('type="ReLU"', 'type="Frobnicate"'),), "IR501", "relu: <layer"),
    Variant("a misspelled type", (swap('type="Convolution"', 'type="Convolusion"'),), "IR501", "conv: <layer"),
    Variant("a misspelled Result", (swap('type="Result"', 'type="Reslt"'),), "IR501", "out: <layer"),
    Variant("a misspelled Parameter", (swap('type="Parameter"', 'type="Input"'),), "IR501", "x: <layer"),
    Variant("a type with a blank behind it", (swap('type="ReLU"', 'type="ReLU "'),), "IR501", "relu: <layer"),
    Variant("an empty type", (swap('type="ReLU"', 'type=""'),), "IR501", "relu: <layer"),
    Variant("a type of another letter case", (swap('type="ReLU"', 'type="RELU"'),)),
    Variant("Constant for Const", (within("w", '"Const"', '"Constant"'),), "IR106", "w: <layer"),
    Variant("a Result in small letters", (swap('type="Result"', 'type="result"'),), "IR106", "out: <layer"),
    Variant("a Parameter in capitals", (swap('type="Parameter"', 'type="PARAMETER"'),), "IR106", "x: <layer"),
    Variant("an Assign in small letters", (swap('type="Assign"', 'type="assign"'),), "IR106", "assign: <layer",
            "state"),
    Variant("a misspelled Result beside another", (within("steps", "Result", "Rseult"),), "IR501", "steps: <layer",
            "loop"),
    Variant("a misspelled Assign", (within("assign", '"Assign"', '"Asign"'),), "IR501", "assign: <layer", "state"),
    Variant("an unknown opset", (within("relu", "opset1", "opset99"),), "IR502", "relu: <layer"),
    Variant("opset 0", (within("relu", "opset1", "opset0"),), "IR502", "relu: <layer"),
    Variant("a misspelled opset", (within("relu", "opset1", "opst1"),), "IR502", "relu: <layer"),
    Variant("an opset in capitals", (within("relu", "opset1", "Opset1"),), "IR502", "relu: <layer"),
    Variant("an empty version", (within("relu", "opset1", ""),), "IR502", "relu: <layer"),
    Variant("an opset without the type", (within("relu", "opset1", "opset17"),), "IR503", "relu: <layer"),
    Variant("a type newer than its opset", (within("gather", "opset8", "opset1"),), "IR101", "gather: <data", "gather"),
    Variant("an extension", (within("relu", "opset1", "extension"),), "IR503", "relu: <layer"),
    Variant("a custom operation", (within("relu", "opset1", "custom"), swap('"ReLU"', '"Frobnicate"')),
            "IR501", "relu: <layer"),
    Variant("a plugin's internal operation",
            (within("relu", "opset1", "ie_internal_opset"), swap('"ReLU"', '"FullyConnected"')), "IR501",
            "relu: <layer"),
]  # fmt: skip

PORTS = [
    Variant("a port id used twice", (within("conv", '<port id="1"', '<port id="0"'),), "IR203",
            'conv: <port id="0" precision="FP32">\n                    <dim>4</dim>'),
    Variant("an output port id used twice", (within("split", '<port id="3"', '<port id="2"'),), "IR203",
            'split: <port id="2" precision="FP32">\n                    <dim>4</dim>\n                    '
            '<dim>1</dim>\n                </port>\n            </output>', "gather"),
    Variant("the same id for an input and the output", (
        within("relu", '<port id="1"', '<port id="0"'), swap('from-layer="5" from-port="1"',
                                                             'from-layer="5" from-port="0"'))),
    Variant("a port without id", (within("relu", '<port id="0"', "<port"),), "IR111", "relu: <port"),
    Variant("a port id that is not a number", (within("relu", '<port id="0"', '<port id="zero"'),), "IR111",
            'relu: id="zero"'),
    Variant("a negative port id", (within("relu", '<port id="0"', '<port id="-1"'),), "IR111", 'relu: id="-1"'),
    Variant("arbitrary port ids", (within("relu", '<port id="0"', '<port id="70"'),
                                   swap('to-layer="5" to-port="0"', 'to-layer="5" to-port="70"'))),
    Variant("no inputs", (cut_within("relu", "<input>", "</input>"),), "IR108", "relu: <layer"),
    Variant("no outputs", (cut_within("relu", "<output>", "</output>"),), "IR108", "relu: <layer"),
    Variant("an input too many", (within("relu", "<input>", '<input><port id="9" precision="FP32"/>'),), "IR108",
            "relu: <input>"),
    Variant("an output too many", (within("relu", "</output>", '<port id="9" precision="FP32"/></output>'),), "IR108",
            "relu: <output>"),
    Variant("a missing input of a Convolution", (cut_within("conv", '<port id="1"', "</port>"),), "IR108",
            "conv: <input>"),
    Variant("outputs twice", (within("relu", "</output>", '</output>\n<output><port id="1"/></output>'),), "IR107",
            'relu: <output><port id="1"/>'),
    Variant("inputs twice", (within("relu", "</input>", '</input>\n<input><port id="0"/></input>'),), "IR107",
            'relu: <input><port id="0"/>'),
    Variant("a misspelled tag of a dimension", (within("relu", "<dim>8</dim>", "<Dim>8</Dim>"),), "IR107",
            "relu: <Dim>"),
    Variant("a dimension as an attribute", (within("relu", "<dim>8</dim>", '<dim value="8"/>'),), "IR111",
            "relu: <dim value"),
    Variant("a dimension with a comment in it", (within("relu", "<dim>8</dim>", "<dim>8<!-- rows --></dim>"),)),
    Variant("an output too many of a Split", (
        within("split", "</output>", '<port id="9" precision="FP32"/></output>'),), "IR306", "split: <layer", "gather"),
    Variant("an output too few of a Split", (
        within("split", 'num_splits="2"', 'num_splits="4"'), every("<dim>6</dim>", "<dim>6</dim>"),
        every("<dim>2</dim>", "<dim>2</dim>")), "IR301", "split: <data", "gather"),
    Variant("precision missing", (within("relu", ' precision="FP32" names', " names"),), "IR103", 'relu: names="y"'),
    Variant("no precision anywhere", (every(' precision="FP32"', ""),), "IR103", "x: <port"),
    Variant("no precision of an input", (within("relu", '<port id="0" precision="FP32"', '<port id="0"'),)),
    Variant("an unknown precision", (within("relu", "FP32", "FP99"),), "IR105", "relu: <port"),
    Variant("a precision in small letters", (within("relu", "FP32", "fp32"),), "IR105", "relu: <port"),
    Variant("an element type as precision", (within("relu", "FP32", "f32"),)),
    Variant("an empty precision", (within("relu", "FP32", ""),), "IR105", "relu: <port"),
    Variant("an unknown attribute of a port", (within("relu", '<port id="0"', '<port id="0" layout="NCHW"'),),
            "IR101", "relu: <port"),
    Variant("a misspelled attribute of a port", (within("relu", "names=", "name="),), "IR101", 'relu: name="y"'),
    Variant("a misspelled precision", (within("relu", 'precision="FP32" names', 'precison="FP32" names'),), "IR101",
            "relu: precison"),
    Variant("an unknown attribute of the outputs", (within("relu", "<output>", '<output count="1">'),), "IR101",
            "relu: <output"),
    Variant("an unknown attribute of a dimension", (within("relu", "<dim>4", '<dim name="C">4'),), "IR101",
            "relu: <dim name"),
    *(Variant(f"the dimension {shown}", (within("relu", "<dim>8</dim>", f"<dim>{text}</dim>"),), "IR111",
              f"relu: <dim>{text}</dim>")
      for shown, text in (("-5", "-5"), ("abc", "abc"), ("1.5", "1.5"), ("of nothing", ""),
                          ("?", "?"), ("1..8", "1..8"), ("2**64", str(2**64)), ("of 400 digits", "8" * 400),
                          ("8e0", "8e0"), ("0x8", "0x8"))),
    Variant("a dimension of 2**62", (within("relu", "<dim>8</dim>", "<dim>4611686018427387904</dim>"),), "IR304",
            "relu: <dim>4611686018427387904</dim>"),
    Variant("dimensions that say nothing", (within("relu", "<dim>8</dim>", "<dim>-1</dim>"),)),
    Variant("no dimensions", (cut_within("relu", "<dim>", "<dim>8</dim>\n                    <dim>8</dim>"),)),
]  # fmt: skip

EDGES = [
    Variant("an edge to a missing layer", (swap('to-layer="5"', 'to-layer="77"'),), "IR204", 'to-layer="77"'),
    Variant("an edge from a missing layer", (swap('from-layer="4"', 'from-layer="77"'),), "IR204", 'from-layer="77"'),
    Variant("an edge from a missing port", (swap('from-layer="0" from-port="0"', 'from-layer="0" from-port="3"'),),
            "IR205", 'from-port="3"'),
    Variant("an edge to a missing port", (swap('to-layer="2" to-port="1"', 'to-layer="2" to-port="5"'),), "IR205",
            'to-port="5"'),
    *(Variant(f"an edge without {name}", (swap(f'{name}="{value}" {rest}', rest),), "IR213", f"<edge {at}")
      for name, value, rest, at in (("from-layer", "4", 'from-port="2" to-layer="5"', 'from-port="2" to-layer="5"'),
                                    ("from-port", "2", 'to-layer="5"', 'from-layer="4" to-layer="5"'),
                                    ("to-layer", "5", 'to-port="0"/>\n        <edge from-layer="5"',
                                     'from-layer="4" from-port="2" to-port="0"'))),
    Variant("an edge without to-port", (swap('to-layer="5" to-port="0"', 'to-layer="5"'),), "IR213",
            'to-layer="5"/>'),
    Variant("an edge with a word for a number", (swap('to-layer="5"', 'to-layer="five"'),), "IR213", '"five"'),
    Variant("an edge with a negative number", (swap('to-port="0"/>\n    </edges>', 'to-port="-1"/>\n    </edges>'),),
            "IR213", '"-1"'),
    Variant("a missing edge to the ReLU", (cut('        <edge from-layer="4"', "/>\n"),), "IR207", "relu: <port"),
    Variant("a missing edge to the weights", (cut('        <edge from-layer="1"', "/>\n"),), "IR207",
            'conv: <port id="1"'),
    Variant("the same edge twice", (swap('<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>', (
        '<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>\n'
        '        <edge  from-layer="4" from-port="2" to-layer="5" to-port="0"/>')),), "IR206", "<edge  from"),
    Variant("two edges into one input", (swap("    </edges>",
            '        <edge from-layer="2"  from-port="2" to-layer="6" '
                                              'to-port="0"/>\n    </edges>'),), "IR206", '<edge from-layer="2"  '),
    Variant("an edge to the wrong port of its layer", (swap('to-layer="2" to-port="1"', 'to-layer="2" to-port="0"'),),
            "IR206", 'from-layer="1"'),
    Variant("an edge that runs backwards", (swap(
        '<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>',
        '<edge from-layer="5" from-port="0" to-layer="4" to-port="2"/>'),), "IR205", 'from-layer="5" from-port="0"'),
    Variant("the edges to two inputs exchanged", (
        swap('to-layer="2" to-port="0"', 'to-layer="2" to-port="X"'),
        swap('to-layer="2" to-port="1"', 'to-layer="2" to-port="0"'), swap('to-port="X"', 'to-port="1"')), "IR304",
            "conv: <dim>1</dim>"),
    Variant("a misspelled tag of an edge", (swap('<edge from-layer="4"', '<Edge from-layer="4"'),), "IR107", "<Edge "),
    Variant("an edge from a Result", (swap('from-layer="2" from-port="2" to-layer="4"',
                                           'from-layer="6" from-port="0" to-layer="4"'),), "IR205", 'from-layer="6"'),
    Variant("an edge to an occupied port of another layer", (swap('to-layer="5" to-port="0"',
            'to-layer="4" to-port="1"'),),
            "IR206", 'from-layer="4"'),
    Variant("a cycle of two layers", (swap('from-layer="2" from-port="2" to-layer="4"',
                                           'from-layer="5" from-port="1" to-layer="4"'),), "IR208", "add: <layer"),
    Variant("a layer that feeds itself", (swap('from-layer="4" from-port="2" to-layer="5"',
                                               'from-layer="5" from-port="1" to-layer="5"'),), "IR208", "relu: <layer"),
    Variant("an edge from another layer", (swap('from-layer="2" from-port="2" to-layer="4"',
                                                'from-layer="0" from-port="0" to-layer="4"'),), "IR304",
            "add: <dim>4</dim>", also=("IR209",)),
    Variant("an unknown element among edges", (swap("    </edges>", "        <edg/>\n    </edges>"),), "IR107",
            "<edg/>"),
    Variant("edges in another order", (cut('        <edge from-layer="5"', "/>\n"), swap(
        "<edges>\n", '<edges>\n        <edge from-layer="5" from-port="1" to-layer="6" to-port="0"/>\n'))),
]  # fmt: skip


def _nest(depth: int) -> Edit:
    """Return an IR with so many bodies inside each other."""
    x = layer(0, "x", "Parameter", 'shape="1" element_type="f32"', (), [port(0, [1])])
    made = layer(1, "relu", "ReLU", "", [port(0, [1])], [port(1, [1])])
    edges = [(0, 0, 1, 0), (1, 1, 2, 0)]
    for level in range(depth):
        lines = x + made + layer(2, "out", "Result", "", [port(0, [1])])
        maps = '<port_map><input external_port_id="0" internal_layer_id="0"/>'
        maps += '<output external_port_id="1" internal_layer_id="2"/></port_map>'
        ends = "".join(edge(*found) for found in edges)
        body = f"{maps}<body><layers>\n{lines}</layers><edges>\n{ends}</edges></body>\n"
        name = f"level {level}"
        made = layer(1, name, "TensorIterator", "", [port(0, [1])], [port(1, [1])], more=body)
    return lambda _: net([x, made, layer(2, "out", "Result", "", [port(0, [1])])], edges)


LOOPS = [
    Variant("a TensorIterator without body", (cut("<body>", "</body>"),), "IR210", "sum: <layer", "loop"),
    Variant("a misspelled body", (swap("<body>", "<bdy>"), swap("</body>", "</bdy>")), "IR210", "sum: <layer", "loop",
            also=("IR107",)),
    Variant("a port map without entries", (cut("<port_map>", "</port_map>"),), "IR210", "sum: <layer", "loop"),
    Variant("an external port that is not there", (swap('external_port_id="1"', 'external_port_id="7"'),), "IR210",
            'external_port_id="7"', "loop"),
    Variant("an internal layer that is not there", (swap('internal_layer_id="1"', 'internal_layer_id="7"'),), "IR210",
            'internal_layer_id="7"', "loop"),
    Variant("an internal layer that is not a Parameter", (swap('internal_layer_id="1"', 'internal_layer_id="2"'),),
            "IR210",
            'internal_layer_id="2"', "loop"),
    Variant("a back edge from no Result", (swap('<edge from-layer="3" to-layer="1"/>',
            '<edge from-layer="2" to-layer="1"/>'),),
            "IR210", '<edge from-layer="2" to-layer="1"/>', "loop"),
    Variant("a back edge without its end", (swap('<edge from-layer="3" to-layer="1"/>', '<edge from-layer="3"/>'),),
            "IR210", '<edge from-layer="3"/>', "loop"),
    Variant("a Parameter of the body without value", (cut('                <input external_port_id="1"', "/>\n"),),
            "IR210",
            "<port_map>", "loop"),
    Variant("an output that no Result gives", (cut('                <output external_port_id="2"', "/>\n"),), "IR210",
            "<port_map>", "loop"),
    Variant("two Results for one output", (swap('external_port_id="3"', 'external_port_id="2"'),), "IR210",
            "<port_map>", "loop"),
    Variant("a slice without axis", (swap('<input axis="0" ', "<input "),), "IR210", "<input external", "loop"),
    Variant("a misspelled input of the port map", (swap('<input external_port_id="1"',
                                                        '<inputs external_port_id="1"'),), "IR210", "<inputs", "loop"),
    Variant("misspelled back edges", (swap("<back_edges>", "<back_edge>"), swap("</back_edges>", "</back_edge>")),
            "IR107", "<back_edge>", "loop"),
    Variant("a misspelled attribute of the port map", (swap('external_port_id="1"', 'external_port="1"'),), "IR210",
            'external_port="1"', "loop"),
    Variant("a misspelled back edge", (swap('<edge from-layer="3" to-layer="1"/>',
                                            '<egde from-layer="3" to-layer="1"/>'),), "IR210", "<egde", "loop"),
    Variant("slices along another axis", (swap('axis="0" external_port_id="0"', 'axis="1" external_port_id="0"'),),
            "IR210", "row: <data", "loop"),
    Variant("slices from behind the end", (swap('start="0"', 'start="9"'),), "IR301", "sum: <layer", "loop"),
    Variant("a stride of 0", (swap('stride="1"', 'stride="0"'),), "IR210", 'stride="0"', "loop"),
    Variant("a stride that is not a number", (swap('stride="1"', 'stride="one"'),), "IR210", 'stride="one"', "loop"),
    Variant("a part of no rows", (swap('part_size="1"', 'part_size="0"'),), "IR210", 'part_size="0"', "loop"),
    Variant("an axis beyond the rank", (swap('axis="0"', 'axis="9"'),), "IR301", "sum: <layer", "loop"),
    Variant("a body with a cycle", (swap('from-layer="1" from-port="0" to-layer="2"',
            'from-layer="2" from-port="2" to-layer="2"'),),
            "IR208", "plus: <layer", "loop"),
    Variant("a body without edges", (cut("            <edges>", "</edges>"),), "IR110", "<body>", "loop"),
    Variant("a body with a wrong dimension", (within("plus",
            "<dim>3</dim>\n                </port>\n            </output>",
                                                     "<dim>4</dim>\n                </port>\n            </output>"),),
            "IR302", "plus: <dim>4</dim>", "loop"),
    Variant("bodies nested 33 deep", (_nest(33),), "IR004", "level 0: <layer", "loop"),
    Variant("bodies nested 32 deep", (_nest(32),), "", "", "loop"),
    Variant("a Parameter of a body of another shape", (within("row", 'shape="1,3"', 'shape="9"'),), "IR210",
            "row: <data", "loop"),
    Variant("a Parameter of a body of another type", (within("row", 'element_type="f32"', 'element_type="i32"'),),
            "IR210", "row: <data", "loop"),
    Variant("an If without else", (cut("<else_body>", "</else_body>"),), "IR210", "if: <layer", "choice"),
    Variant("an If without a port map", (cut("<else_port_map>", "</else_port_map>"),), "IR210", "if: <layer", "choice"),
    Variant("an If that gives no output in a branch", (
        cut('<output external_port_id="2"', "/>"),), "IR210", "<then_port_map>", "choice"),
]  # fmt: skip

STATE = [
    Variant("an Assign that nothing reads", (within("assign", 'variable_id="sum"', 'variable_id="sun"'),), "IR212",
            "assign: <data", "state"),
    Variant("a ReadValue of another type", (within("read", 'variable_type="f32"', 'variable_type="i64"'),), "IR301",
            "read: <data", "state"),
    Variant("a ReadValue of opset3 with attributes of opset6", (within("read", "opset6", "opset3"),), "IR101",
            "read: <data", "state"),
    Variant("an Assign of opset3 for a ReadValue of opset6", (within("assign", "opset6", "opset3"),), "IR212",
            "assign: <layer", "state"),
    Variant("an initial value without its edge", (cut_layer("zero"), cut('        <edge from-layer="1"', "/>\n")),
            "IR207", "read: <port", "state", weights=lambda _: b""),
    Variant("no variable_id", (within("read", 'variable_id="sum" ', ""),), "IR103", "read: <data", "state"),
    Variant("an Assign without variable_id", (within("assign", '<data variable_id="sum"/>', "<data/>"),), "IR103",
            "assign: <data", "state"),
    Variant("an Assign without data", (cut_within("assign", "<data", "/>"),), "IR110", "assign: <layer", "state"),
]  # fmt: skip

GROUPS = {
    "layers": LAYERS, "types and opsets": TYPES, "ports": PORTS, "edges": EDGES, "bodies": LOOPS, "variables": STATE,
}  # fmt: skip
