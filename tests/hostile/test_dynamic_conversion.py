"""A conversion whose type is missing is our error at the layer, also where the file was read without validation."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin import Core, EvaluationError

CAST = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="3" element_type="f32"/>
<output><port id="0" precision="FP32"/></output></layer>
<layer id="1" name="cast" type="Cast" version="extension"><input><port id="0"/></input>
<output><port id="1" precision="UNSPECIFIED"/></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_a_conversion_to_no_type_is_an_error_of_the_layer() -> None:
    model = Core().read_model(CAST.encode(), b"", validate=False)
    with pytest.raises(EvaluationError, match=r'"cast".*cannot be converted to dynamic'):
        Core().compile_model(model)([np.ones(3, np.float32)])
