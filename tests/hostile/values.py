"""Variants of attributes, constants, weights, shapes and types."""

from __future__ import annotations

from tests.hostile.variant import Variant, cut_within, swap, within

HUGE = 2**62
ROW = "<dim>4</dim>\n                    <dim>1</dim>"


def _conv(name: str, old: str, new: str, code: str = "") -> Variant:
    return Variant(name, (within("conv", old, new),), code, "conv: <data" if code else "")


ATTRIBUTES = [
    _conv("a required attribute is missing", 'strides="1, 1" ', "", "IR103"),
    _conv("pads are missing", 'pads_begin="1, 1" ', "", "IR103"),
    _conv("a misspelled attribute", "strides=", "stride=", "IR101"),
    _conv("an unknown attribute", "strides=", 'colour="red" strides=', "IR101"),
    _conv("an attribute of older writers", "strides=", 'output_padding="0,0" strides=', "IR104"),
    _conv("a leftover of a dumped graph", "strides=", 'execOrder="7" strides=', "IR104"),
    _conv("a word for numbers", 'strides="1, 1"', 'strides="a, b"', "IR102"),
    _conv("a float for an int", 'strides="1, 1"', 'strides="1.5, 1"', "IR109"),
    _conv("a hexadecimal number", 'strides="1, 1"', 'strides="0x10, 1"', "IR109"),
    _conv("semicolons for commas", 'strides="1, 1"', 'strides="1;1"', "IR109"),
    _conv("blanks for commas", 'strides="1, 1"', 'strides="1 1"', "IR109"),
    _conv("a trailing comma", 'strides="1, 1"', 'strides="1, 1,"', "IR109"),
    _conv("a blank behind a trailing comma", 'strides="1, 1"', 'strides="1, 1, "', "IR102"),
    _conv("two trailing commas", 'strides="1, 1"', 'strides="1, 1,,"', "IR102"),
    _conv("a list of a blank", 'strides="1, 1"', 'strides=" "', "IR102"),
    _conv("two commas", 'strides="1, 1"', 'strides="1,,1"', "IR102"),
    _conv("brackets", 'strides="1, 1"', 'strides="[1, 1]"', "IR102"),
    _conv("a plus sign", 'strides="1, 1"', 'strides="+1, 1"', "IR106"),
    _conv("a number beyond 64 bits", 'strides="1, 1"', 'strides="99999999999999999999, 1"', "IR102"),
    _conv("an empty list", 'strides="1, 1"', 'strides=""'),
    _conv("one stride for two axes", 'strides="1, 1"', 'strides="1"', "IR301"),
    _conv("three strides for two axes", 'strides="1, 1"', 'strides="1, 1, 1"', "IR301"),
    _conv("a stride of 0", 'strides="1, 1"', 'strides="0, 1"', "IR301"),
    _conv("a stride of 2**63 - 1", 'strides="1, 1"', f'strides="{2**63 - 1}, 1"', "IR301"),
    Variant("a dilation beyond the image", (within("conv", 'dilations="1, 1"', 'dilations="9, 9"'),), "IR301",
            "conv: <layer"),
    _conv("an unknown word", '"explicit"', '"sideways"', "IR105"),
    _conv("a misspelled word", '"explicit"', '"same_uper"', "IR105"),
    _conv("a word in capitals", '"explicit"', '"EXPLICIT"', "IR106"),
    _conv("blanks around a number", 'strides="1, 1"', 'strides=" 1,1 "'),
    Variant("no data at all", (cut_within("conv", "<data", "/>"),), "IR110", "conv: <layer"),
    Variant("a misspelled data", (within("conv", "<data", "<dta"),), "IR110", "conv: <layer", also=("IR107",)),
    Variant("two data elements", (within("conv", "<input>", '<data strides="2, 2"/>\n<input>'),), "IR107",
            'conv: <data strides="2, 2"/>'),
    Variant("data in a layer without attributes", (within("relu", "<input>", '<data alpha="1"/>\n<input>'),), "IR101",
            "relu: <data"),
    Variant("an int with an exponent", (within("gather", 'batch_dims="0"', 'batch_dims="0e5"'),), "IR109",
            "gather: <data", "gather"),
    Variant("an int of blanks", (within("gather", 'batch_dims="0"', 'batch_dims=" "'),), "IR102", "gather: <data",
            "gather"),
    Variant("a plus sign before an int", (within("concat", 'axis="1"', 'axis="+1"'),), "IR106", "concat: <data",
            "gather"),
    Variant("an axis beyond the rank", (within("concat", 'axis="1"', 'axis="7"'),), "IR301", "concat: <data", "gather"),
    Variant("an axis of 2**63 - 1", (within("concat", 'axis="1"', f'axis="{2**63 - 1}"'),), "IR301", "concat: <data",
            "gather"),
    Variant("a Split into no parts", (within("split", 'num_splits="2"', 'num_splits="0"'),), "IR301", "split: <data",
            "gather"),
    Variant("a Split into 2**62 parts", (within("split", 'num_splits="2"', f'num_splits="{HUGE}"'),), "IR301",
            "split: <data", "gather"),
    Variant("an axis that OpenVINO takes to be 0", (within("concat", 'axis="1"', ""),), "IR103", "concat: <data",
            "gather"),
    Variant("batch_dims beyond the rank", (within("gather", 'batch_dims="0"', 'batch_dims="5"'),), "IR301",
            "gather: <data", "gather"),
]  # fmt: skip

SHAPES = [
    Variant("a wrong declared output dimension", (within("conv", "<dim>4</dim>\n                    <dim>8</dim>",
                                                         "<dim>5</dim>\n                    <dim>8</dim>"),), "IR302",
            "conv: <dim>5</dim>"),
    Variant("two outputs that are wrong alike", (within("split", ROW, ROW.replace("1", "3")),) * 2, "IR302",
            "split: <dim>3</dim>", "gather"),
    Variant("a declared output of another rank", (within("relu", '<port id="1" precision="FP32" names="y">',
                                                         '<port id="1" precision="FP32" names="y"><dim>1</dim>'),),
            "IR302", "relu: names"),
    Variant("a wrong declared input dimension", (within("relu", "<dim>4</dim>", "<dim>5</dim>"),), "IR304",
            "relu: <dim>5</dim>"),
    Variant("a wrong declared output precision", (within("relu", 'FP32" names', 'I32" names'),), "IR303",
            'relu: I32'),
    Variant("a wrong declared input precision", (within("relu", "FP32", "I32"),), "IR305", "relu: I32"),
    Variant("a Parameter whose port differs from its data", (within("x", 'shape="1,3,8,8"', 'shape="1,3,10,10"'),),
            "IR302", "x: <dim>8</dim>"),
    Variant("channels that do not fit the weights", (
        within("x", 'shape="1,3,8,8"', 'shape="1,5,8,8"'), within("x", "<dim>3</dim>", "<dim>5</dim>"),
        within("conv", "<dim>3</dim>", "<dim>5</dim>")), "IR301", "conv: <layer"),
    Variant("a Parameter without shape", (within("x", 'shape="1,3,8,8" ', ""),), "IR103", "x: <data"),
    Variant("a Parameter without element type", (within("x", ' element_type="f32"', ""),), "IR103", "x: <data"),
    Variant("a precision for an element type", (within("x", "f32", "FP32"),), "IR105", "x: <data"),
    Variant("an element type in capitals", (within("x", "f32", "F32"),), "IR106", "x: <data"),
    Variant("an interval the wrong way round", (within("x", "1,3,8,8", "5..1,3,8,8"),), "IR102", "x: <data"),
    Variant("braces around a shape", (within("x", "1,3,8,8", "{1,3,8,8}"),), "IR102", "x: <data"),
    Variant("a negative length", (within("x", "1,3,8,8", "-4,3,8,8"),), "IR102", "x: <data"),
    Variant("a length of 2**62", (within("x", "1,3,8,8", f"{HUGE},3,8,8"),), "IR302", "x: <dim>1</dim>"),
    Variant("lengths of which the product overflows", (
        within("x", 'shape="1,3,8,8"', f'shape="{HUGE},3,8,8"'), within("x", "<dim>1</dim>", f"<dim>{HUGE}</dim>")),
            "IR304", "conv: <dim>1</dim>"),
    Variant("a dynamic batch", (within("x", 'shape="1,3,8,8"', 'shape="?,3,8,8"'),)),
    Variant("an unknown rank", (within("x", 'shape="1,3,8,8"', 'shape="..."'),)),
]  # fmt: skip


def _const(name: str, old: str, new: str, code: str = "") -> Variant:
    return Variant(name, (within("w", old, new),), code, "w: <data" if code else "")


CONSTANTS = [
    _const("no offset", 'offset="0" ', "", "IR103"),
    _const("no size", ' size="432"', "", "IR103"),
    _const("no shape", 'shape="4, 3, 3, 3" ', "", "IR103"),
    _const("no element type", 'element_type="f32" ', "", "IR103"),
    _const("an offset behind the end", 'offset="0"', 'offset="4000"', "IR402"),
    _const("a negative offset", 'offset="0"', 'offset="-8"', "IR102"),
    _const("an offset that is not a number", 'offset="0"', 'offset="start"', "IR102"),
    _const("an offset of 2**64 - 4", 'offset="0"', f'offset="{2**64 - 4}"', "IR402"),
    _const("an offset of 2**64", 'offset="0"', f'offset="{2**64}"', "IR102"),
    _const("a size that is too small", 'size="432"', 'size="400"', "IR403"),
    _const("a size of 0", 'size="432"', 'size="0"', "IR403"),
    _const("a size behind the end", 'size="432"', 'size="99999999999"', "IR402"),
    _const("a shape of 1e12 elements", 'shape="4, 3, 3, 3"', 'shape="1000000000000"', "IR403"),
    _const("lengths of which the product overflows", 'shape="4, 3, 3, 3"', 'shape="4294967296, 4294967296"', "IR403"),
    _const("64 lengths of 2**62", 'shape="4, 3, 3, 3"', f'shape="{", ".join([str(HUGE)] * 64)}"', "IR403"),
    _const("a negative length", 'shape="4, 3, 3, 3"', 'shape="-4, 3, 3, 3"', "IR102"),
    _const("a dynamic length", 'shape="4, 3, 3, 3"', 'shape="?, 3, 3, 3"', "IR102"),
    _const("a dynamic element type", 'element_type="f32"', 'element_type="dynamic"', "IR102"),
    _const("an unknown element type", 'element_type="f32"', 'element_type="f33"', "IR105"),
    Variant("a size that is one too much", (within("w", 'size="432"', 'size="433"'),), "IR404", "w: <data"),
    Variant("a type of half the size", (within("w", 'element_type="f32"', 'element_type="f16"'),), "IR303",
            "w: <port"),
    Variant("no shape where the port has one", (within("w", 'shape="4, 3, 3, 3"', 'shape=""'),), "IR302", "w: <port"),
    Variant("another shape of the same size", (within("w", 'shape="4, 3, 3, 3"', 'shape="3, 4, 3, 3"'),), "IR302",
            "w: <dim>4</dim>"),
    Variant("another type of the same size", (within("w", 'element_type="f32"', 'element_type="i32"'),), "IR303",
            "w: <port"),
    Variant("a constant inside another one", (within("b", 'offset="432"', 'offset="400"'),), "IR406", "b: <data",
            also=()),
    Variant("a constant across two others", (within("b", 'offset="432"', 'offset="428"'),), "IR406", "b: <data",
            also=()),
    Variant("a constant beside the grid", (within("w", 'offset="0"', 'offset="1"'),), "IR406", "b: <data"),
    Variant("a larger size than the shape needs", (within("b", 'size="16"', 'size="20"'),), "IR404", "b: <data",
            weights=lambda data: data + b"abcd"),
]  # fmt: skip

WEIGHTS = [
    Variant("no weights", (), "IR401", "w: <data", weights=lambda _: None),
    Variant("empty weights", (), "IR402", "w: <data", weights=lambda _: b""),
    Variant("weights cut short", (), "IR402", "b: <data", weights=lambda data: data[:-1]),
    Variant("weights cut in half", (), "IR402", "w: <data", weights=lambda data: data[:200]),
    Variant("weights that are too long", (), "IR405", weights=lambda data: data + bytes(63) + b"x"),
    Variant("weights with a little padding", (), weights=lambda data: data + bytes(60)),
    Variant("weights of another model", (), "IR405", weights=lambda data: data * 3),
    Variant("strings of another number", (), "IR407", "words: <data", "strings",
            weights=lambda data: b"\3" + data[1:]),
    Variant("2**31 strings", (), "IR407", "words: <data", "strings",
            weights=lambda data: b"\xff\xff\xff\x7f" + data[4:]),
    Variant("strings that begin late", (), "IR407", "words: <data", "strings",
            weights=lambda data: data[:4] + b"\1" + data[5:]),
    Variant("strings that run backwards", (), "IR407", "words: <data", "strings",
            weights=lambda data: data[:8] + b"\x09" + data[9:]),
    Variant("strings that end behind the end", (), "IR407", "words: <data", "strings",
            weights=lambda data: data[:12] + b"\x63" + data[13:]),
    Variant("strings with a negative offset", (), "IR407", "words: <data", "strings",
            weights=lambda data: data[:8] + b"\xff\xff\xff\xff" + data[12:]),
    Variant("strings that are not UTF-8, which OpenVINO takes", base="strings", edits=(),
            weights=lambda data: data[:-1] + b"\xff"),
    Variant("a string constant without room for offsets", (swap('size="20"', 'size="8"'),), "IR403", "words: <data",
            "strings"),
]  # fmt: skip

GROUPS = {
    "attributes": ATTRIBUTES, "shapes and types": SHAPES, "constants": CONSTANTS, "weights": WEIGHTS,
}  # fmt: skip
