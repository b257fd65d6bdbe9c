"""Variants of things that stand in each other's place, and of what is left between the elements."""

from __future__ import annotations

from tests.hostile.variant import Edit, Variant, swap, within

EXCHANGES = [
    Variant("the ids of two layers with other ports", (
        swap('id="2" name="conv"', 'id="5" name="conv"'), swap('id="5" name="relu"', 'id="2" name="relu"')),
        "IR205", "relu: <layer"),
    Variant("the ids of a constant and the Result", (
        swap('id="1" name="w"', 'id="6" name="w"'), swap('id="6" name="out"', 'id="1" name="out"')),
        "IR205", "out: <layer"),
    Variant("the ids of two layers of a body", (
        swap('id="2" name="plus"', 'id="4" name="plus"'), swap('id="4" name="each"', 'id="2" name="each"')),
        "IR205", "each: <layer", "loop"),
    Variant("the ids of two constants", (
        swap('id="1" name="w"', 'id="3" name="w"'), swap('id="3" name="b"', 'id="1" name="b"')),
        "IR304", "conv: <dim>4</dim>"),
    Variant("the edges to inputs of two layers", (
        swap('to-layer="2" to-port="1"', 'to-layer="X"'), swap('to-layer="4" to-port="1"', 'to-layer="2" to-port="1"'),
        swap('to-layer="X"', 'to-layer="4" to-port="1"')), "IR304", "conv: <dim>4</dim>"),
    Variant("an index and the axis", (
        swap('from-layer="1" from-port="0" to-layer="3"', 'from-layer="X" from-port="0" to-layer="3"'),
        swap('from-layer="2" from-port="0" to-layer="3"', 'from-layer="1" from-port="0" to-layer="3"'),
        swap('from-layer="X"', 'from-layer="2"')), "IR304", "gather: <port id=\"1\"", "gather"),
    Variant("the type of a Parameter", (within("x", "Parameter", "Result"),), "IR108", "x: <layer"),
    Variant("the type of a Result", (within("out", "Result", "Const"),), "IR108", "out: <layer"),
    Variant("the type of a TensorIterator", (within("sum", "TensorIterator", "Split"),), "IR108", "sum: <layer",
            "loop"),
    Variant("an attribute of another name", (within("x", "shape=", "form="),), "IR101", "x: <data"),
    Variant("an attribute with a prefix", (within("x", "shape=", "xml:shape="),), "IR101", "x: <data"),
    Variant("a misspelled data that nothing requires", (within("gather", "<data", "<dat"),), "IR107", "gather: <dat",
            "gather"),
]  # fmt: skip


def _text(behind: str) -> tuple[Edit]:
    return (swap(behind, f"{behind}\nSTRAY\n"),)


TEXTS = [
    Variant("in front of the layers", _text("<layers>"), "IR107", "STRAY"),
    Variant("between two layers", _text("</layer>"), "IR107", "STRAY"),
    Variant("between two edges", _text('to-layer="2" to-port="0"/>'), "IR107", "STRAY"),
    Variant("behind the edges", _text("</edges>"), "IR107", "STRAY"),
    Variant("in a layer", _text("</input>"), "IR107", "STRAY"),
    Variant("between two ports", _text("</port>"), "IR107", "STRAY"),
    Variant("behind a dimension", _text("<dim>8</dim>"), "IR107", "STRAY"),
    Variant("in a body", _text("<body>"), "IR107", "STRAY", "loop"),
    Variant("in a port map", _text("<port_map>"), "IR107", "STRAY", "loop"),
    Variant("in a CDATA section", (swap("<layers>", "<layers><![CDATA[STRAY]]>"),), "IR107", "<layers>"),
]  # fmt: skip

SPELLINGS = [
    Variant("a blank before a word", (swap('"explicit"', '" explicit"'),), "IR102", "conv: <data"),
    Variant("a blank behind an element type", (within("x", '"f32"', '"f32 "'),), "IR102", "x: <data"),
    Variant("a blank behind an offset", (within("w", 'offset="0"', 'offset="0 "'),), "IR102", "w: <data"),
    Variant("a blank before an offset", (within("w", 'offset="0"', 'offset=" 0"'),)),
    Variant("an offset of -0", (within("w", 'offset="0"', 'offset="-0"'),), "IR102", "w: <data"),
    Variant("a length of -0", (within("w", 'shape="4,', 'shape="-0,'),), "IR102", "w: <data"),
    Variant("a length of 2**63", (within("w", 'shape="4,', f'shape="{2**63},'),), "IR102", "w: <data"),
    Variant("digits that are not ASCII", (within("w", 'shape="4,', 'shape="٤,'),), "IR102", "w: <data"),
    Variant("a plus sign before an offset", (within("w", 'offset="0"', 'offset="+0"'),), "IR106", "w: <data"),
    Variant("an element type in capitals in a Const", (within("w", '"f32"', '"F32"'),), "IR106", "w: <data"),
    Variant("an element type in capitals in a Parameter", (within("x", '"f32"', '"F32"'),), "IR106", "x: <data"),
    Variant("a Const in small letters", (within("w", '"Const"', '"const"'),), "IR106", "w: <layer"),
    Variant("a ReLU in lower case", (within("relu", '"ReLU"', '"relu"'),)),
    Variant("a namespace of one layer", (swap('<layer id="5"', '<layer xmlns="urn:x" id="5"'),)),
    Variant("a namespace of the root with a prefix", (swap("<net ", '<o:net xmlns:o="urn:x" '),
                                                      swap("</net>", "</o:net>")), "IR005", "<o:net"),
]  # fmt: skip

GROUPS = {"exchanged": EXCHANGES, "texts between elements": TEXTS, "spellings": SPELLINGS}
