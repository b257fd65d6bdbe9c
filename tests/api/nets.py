"""IRs as text, for the scripts that both libraries run."""

from __future__ import annotations

import numpy as np

LAYERS = """
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="?,3,4..8" element_type="f32"/>
 <output><port id="0" precision="FP32" names="x,first"><dim>-1</dim><dim>3</dim><dim>-1</dim></port></output></layer>
<layer id="1" name="y" type="Parameter" version="opset1"><data shape="1,3,1" element_type="f32"/>
 <output><port id="0" precision="FP32" names="y"><dim>1</dim><dim>3</dim><dim>1</dim></port></output></layer>
<layer id="2" name="w" type="Const" version="opset1"><data element_type="f32" shape="1, 3, 1" offset="0" size="12"/>
 <output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>1</dim></port></output></layer>
<layer id="3" name="scaled" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>
 <input><port id="0"/><port id="1"/></input>
 <output><port id="2" precision="FP32" names="scaled,a\\,b"/></output></layer>
<layer id="4" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
 <input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32" names="sum"/></output></layer>
<layer id="5" name="relu" type="ReLU" version="opset1">
 <input><port id="0"/></input><output><port id="1" precision="FP32" names="relu"/></output></layer>
<layer id="6" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="12" size="8"/>
 <output><port id="0" precision="I64"/></output></layer>
<layer id="7" name="split" type="Split" version="opset1"><data num_splits="3"/>
 <input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32" names="s0"/>
 <port id="3" precision="FP32" names="s1"/><port id="4" precision="FP32"/></output></layer>
<layer id="8" name="out0" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="9" name="out1" type="Result" version="opset1"><input><port id="0"/></input></layer>
"""
EDGES = [(0, 0, 3, 0), (2, 0, 3, 1), (3, 2, 4, 0), (1, 0, 4, 1), (4, 2, 5, 0), (5, 1, 7, 0), (6, 0, 7, 1), (7, 2, 8, 0),
         (5, 1, 9, 0)]  # fmt: skip
WEIGHTS = np.array([1, 2, 3], np.float32).tobytes() + np.array(1, np.int64).tobytes()


def net(layers: str, edges: list[tuple[int, int, int, int]], name: str = "net", info: str = "") -> str:
    lines = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    return (
        f'<?xml version="1.0"?><net name="{name}" version="11"><layers>{layers}</layers><edges>{lines}</edges>'
        f"<rt_info>{info}</rt_info></net>"
    )


STATE = """<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>
 <output><port id="0" precision="FP32" names="x"/></output></layer>
<layer id="1" name="init" type="Const" version="opset1"><data element_type="f32" shape="1" offset="0" size="4"/>
 <output><port id="0" precision="FP32"/></output></layer>
<layer id="2" name="read" type="ReadValue" version="opset6">
 <data variable_id="v" variable_type="f32" variable_shape="1"/>
 <input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="3" name="add" type="Add" version="opset1"><data auto_broadcast="numpy"/><input><port id="0"/><port id="1"/>
 </input><output><port id="2" precision="FP32" names="total"/></output></layer>
<layer id="4" name="assign" type="Assign" version="opset6"><data variable_id="v"/><input><port id="0"/></input>
 <output><port id="1" precision="FP32"/></output></layer>
<layer id="5" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>"""
SE = [(1, 0, 2, 0), (2, 1, 3, 0), (0, 0, 3, 1), (3, 2, 4, 0), (3, 2, 5, 0)]
