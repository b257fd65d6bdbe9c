"""Variants of what OpenVINO reads by rules of its own: tensor names, runtime information, precisions and numbers."""

from __future__ import annotations

from tests.hostile.bases import edge, layer, port
from tests.hostile.variant import Edit, Variant, every, swap, within

PORT = '<port id="2" precision="FP32">'
NAMED = '<port id="2" precision="FP32" names="q">'
BAD_LAYOUT = 'layout="[N,C,"'
BEHIND = layer(9, "behind", "ReLU", "", [port(0, [1, 4, 8, 8])], [port(1, [1, 4, 8, 8], names="y")])
SECOND = layer(10, "second", "Result", "", [port(0, [1, 4, 8, 8])])


def _second_result(text: str) -> str:
    text = swap("    </layers>", f"{BEHIND}{SECOND}    </layers>")(text)
    return swap("    </edges>", f"{edge(4, 2, 9, 0)}{edge(9, 1, 10, 0)}    </edges>")(text)


NAMES = [
    Variant("of an input and a result", (within("relu", 'names="y"', 'names="x"'),), "IR214", "relu: names"),
    Variant("of a constant and a result", (within("w", '<port id="0" precision="FP32">',
                                                  '<port id="0" precision="FP32" names="y">'),), "IR214", "w: <port"),
    Variant("of two results", (_second_result,), "IR214", "behind: names"),
    Variant("of two outputs of a layer", (
        within("split", PORT, NAMED), within("split", '<port id="3" precision="FP32">',
                                             '<port id="3" precision="FP32" names="q">')),
            "IR214", 'split: <port id="3"', "gather"),
    Variant("of a layer and one in a body", (
        within("plus", PORT, NAMED), within("rows", '<port id="0" precision="FP32">',
                                            '<port id="0" precision="FP32" names="q">')),
            base="loop"),
    Variant("of two layers of a body", (
        within("plus", PORT, NAMED), within("row", '<port id="0" precision="FP32">',
                                            '<port id="0" precision="FP32" names="q">')),
            "IR214", "plus: names", "loop"),
    Variant("that a Result declares and an input has", (within("out", 'id="6"', 'id="6" output_names="x"'),), "IR214",
            "out: <layer"),
    Variant("that a Result declares", (within("out", 'id="6"', 'id="6" output_names="z"'),)),
    Variant("twice on one port", (within("x", 'names="x"', 'names="x,x"'),)),
    Variant("between commas", (within("x", 'names="x"', 'names=",x,"'),)),
    Variant("with blanks", (within("x", 'names="x"', 'names=" x , z "'),)),
    Variant("of another layer", (within("x", 'names="x"', 'names="relu"'),)),
    Variant("on an input port", (within("relu", '<port id="0" precision="FP32">',
                                        '<port id="0" precision="FP32" names="k">'),)),
]  # fmt: skip


def _info(layer: str, attributes: str) -> tuple[Edit]:
    return (within(layer, "</port>", f"\n<rt_info>{attributes}</rt_info></port>"),)


def _of_layer(attributes: str) -> tuple[Edit]:
    return (within("relu", "</layer>", f"<rt_info>{attributes}</rt_info></layer>"),)


INFORMATION = [
    Variant("a layout of an output port", _info("x", f'<attribute name="layout" version="0" {BAD_LAYOUT}/>'),
            "IR102", "x: <attribute"),
    Variant("a layout of an input port", _info("relu", f'<attribute name="layout" version="0" {BAD_LAYOUT}/>'),
            "IR102", "relu: <attribute"),
    Variant("a layout of a port in a body", _info("plus", f'<attribute name="layout" version="0" {BAD_LAYOUT}/>'),
            "IR102", "plus: <attribute", "loop"),
    Variant("a layout of a Result's port", _info("out", f'<attribute name="layout" version="0" {BAD_LAYOUT}/>'),
            "IR102", "out: <attribute"),
    Variant("a layout of another version", _info("x", f'<attribute name="layout" version="1" {BAD_LAYOUT}/>')),
    Variant("a layout without version", _info("x", f'<attribute name="layout" {BAD_LAYOUT}/>')),
    Variant("a second list of information", _info("x", "</rt_info><rt_info>"
                                                  f'<attribute name="layout" version="0" {BAD_LAYOUT}/>')),
    Variant("a layout with two ellipses", _info("x", '<attribute name="layout" version="0" layout="N...C...H"/>'),
            "IR102", "x: <attribute"),
    Variant("a layout that repeats a dimension", _info("x", '<attribute name="layout" version="0" layout="NNCH"/>'),
            "IR102", "x: <attribute"),
    Variant("two layouts", _info("x", '<attribute name="layout" version="0" layout="NCHW"/>\n'
                                 '<attribute name="layout" version="0" layout="NHWC"/>'), "IR102", 'layout="NHWC"'),
    Variant("two attributes that OpenVINO does not know", _info("x", '<attribute name="z" version="0"/>' * 2)),
    Variant("fused names twice", _of_layer('<attribute name="fused_names" version="0" value="a"/>' * 2), "IR102",
            "relu: <attribute"),
    Variant("fused names of two versions", _of_layer('<attribute name="fused_names" version="0" value="a"/>'
                                                     '<attribute name="fused_names" version="1" value="a"/>')),
    Variant("an order of letters", _of_layer('<attribute name="old_api_map_order" version="0" value="0,a"/>'),
            "IR102", "relu: <attribute"),
    Variant("an order with a gap", _of_layer('<attribute name="old_api_map_order" version="0" value="0,,1"/>'),
            "IR102", "relu: <attribute"),
    Variant("an order that ends in a comma", _of_layer('<attribute name="old_api_map_order" version="0" value="0,"/>')),
    Variant("an unknown old type", _of_layer('<attribute name="old_api_map_element_type" version="0" value="f33"/>'),
            "IR105", "relu: <attribute"),
    Variant("a type of ONNX as the old type",
            _of_layer('<attribute name="old_api_map_element_type" version="0" value="i2"/>'), "IR105",
            "relu: <attribute"),
    Variant("an attribute that OpenVINO cannot read",
            _of_layer('<attribute name="nms_selected_indices" version="0"/>'), "IR102", "relu: <attribute"),
    Variant("an attribute of another tag", _of_layer(f'<attribut name="layout" version="0" {BAD_LAYOUT}/>')),
]  # fmt: skip


def _precision(word: str, code: str) -> Variant:
    return Variant(f"{word!r}", (within("relu", 'FP32" names', f'{word}" names'),), code, "relu: names" if code else "")


PRECISIONS = [
    *(_precision(word, "IR303") for word in ("U1", "bin", "BIN", "u1", "boolean", "BF16", "STRING", "NF4", "u6")),
    *(_precision(word, "") for word in ("f32", "UNSPECIFIED", "undefined", "dynamic")),
    *(_precision(word, "IR105") for word in ("I1", "F32", "fp32", "bool", "DYNAMIC", "FP32 ", " FP32", "", "MIXED")),
]  # fmt: skip


def _entry(old: str, new: str, code: str = "IR210", tag: str = "input") -> Variant:
    return Variant(f"{new} of an {tag}", (swap(f"<{tag} {old}", f"<{tag} {new}"),), code,
                   f"sum: <{tag} " if code else "", "loop")  # fmt: skip


ROWS, STEPS = 'axis="0" external_port_id="0"', 'axis="0" external_port_id="3"'
NUMBERS = [
    _entry(ROWS, 'axis="-2" external_port_id="0"'),
    _entry(ROWS, 'axis="-1" external_port_id="0"'),
    _entry(ROWS, 'axis="0 " external_port_id="0"'),
    _entry(ROWS, 'axis=" 0" external_port_id="0"', ""),
    _entry(ROWS, 'axis="+0" external_port_id="0"', ""),
    _entry(ROWS, 'axis="0" external_port_id="0 "'),
    _entry(ROWS, 'axis="0" external_port_id="+0"', ""),
    Variant("a negative axis of an output", (swap(STEPS, 'axis="-2" external_port_id="3"'),), base="loop"),
    Variant("a blank behind a part size", (swap('part_size="1"', 'part_size="1 "'),), "IR210", "sum: part_size",
            "loop"),
    Variant("a blank behind a back edge's layer", (swap('<edge from-layer="3"', '<edge from-layer="3 "'),), "IR210",
            'from-layer="3 "', "loop"),
    Variant("a plus before a back edge's layer", (swap('<edge from-layer="3"', '<edge from-layer="+3"'),), base="loop"),
    Variant("a blank before an id", (swap('id="5" name="relu"', 'id=" 5" name="relu"'),)),
    Variant("a plus before an id", (swap('id="5" name="relu"', 'id="+5" name="relu"'),)),
    Variant("a blank behind an id", (swap('id="5" name="relu"', 'id="5 " name="relu"'),), "IR102", "relu: <layer"),
    Variant("a blank before a port's id", (within("relu", '<port id="0"', '<port id=" 0"'),)),
    Variant("a blank before an edge's layer", (swap('from-layer="0"', 'from-layer=" 0"'),)),
    Variant("a blank behind an edge's layer", (swap('from-layer="0"', 'from-layer="0 "'),), "IR213", 'from-layer="0 "'),
    Variant("blanks around a dimension", (within("relu", "<dim>4</dim>", "<dim> 4 </dim>"),)),
    Variant("a plus before a dimension", (within("relu", "<dim>4</dim>", "<dim>+4</dim>"),)),
    Variant("a blank before the IR's version", (swap('version="11"', 'version=" 11"'),)),
    Variant("a blank behind the IR's version", (swap('version="11"', 'version="11 "'),), "IR006", "<net"),
    Variant("zeros before the IR's version", (swap('version="11"', 'version="011"'),)),
    Variant("a plus before the IR's version", (swap('version="11"', 'version="+11"'),)),
    Variant("an opset of two digits", (within("relu", '"opset1"', '"opset01"'),), "IR502", "relu: <layer"),
    Variant("an opset with a blank", (within("relu", '"opset1"', '"opset1 "'),), "IR502", "relu: <layer"),
    Variant("a variable with a blank", (within("assign", 'variable_id="sum"', 'variable_id="sum "'),), "IR212",
            "assign: <data", "state"),
    Variant("two variables with a blank", (every('variable_id="sum"', 'variable_id=" sum "'),), base="state"),
    Variant("a type of a variable with a blank", (within("read", 'type="f32"', 'type="f32 "'),), "IR102",
            "read: <data", "state"),
]  # fmt: skip

GROUPS = {
    "tensor names": NAMES, "runtime information": INFORMATION, "precisions of ports": PRECISIONS,
    "numbers and blanks": NUMBERS,
}  # fmt: skip
