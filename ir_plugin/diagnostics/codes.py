"""The table of finding codes: id, severity and title of every kind of fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Code:
    """A kind of finding."""

    id: str
    severity: Severity
    title: str


_TABLE = """
IR001 error   the file cannot be read
IR002 error   the XML is not well-formed
IR003 error   the XML has a document type declaration
IR004 error   the file is beyond a limit of this reader
IR005 error   the file is not an OpenVINO IR
IR006 error   the IR version is not supported
IR007 note    the file holds layers without a net
IR101 error   unknown attribute
IR102 error   invalid attribute value
IR103 error   required attribute is missing
IR104 warning attribute of older writers, which the operation ignores
IR105 error   word is not one of an enumeration
IR106 warning word or number in an unusual spelling
IR107 warning unexpected element
IR108 error   wrong number of ports
IR109 error   number that OpenVINO reads as another one
IR110 error   required element is missing
IR111 error   invalid dimension or port
IR201 error   layer id is used twice
IR202 warning layer name is used twice
IR203 error   port id is used twice
IR204 error   edge to or from a layer that is not there
IR205 error   edge to or from a port that is not there
IR206 error   input has more than one edge
IR207 error   input is not connected
IR208 error   layers form a cycle
IR209 warning layer does not contribute to any result
IR210 error   sub-graph does not fit its layer
IR211 error   model has no result
IR212 error   variable is read or assigned inconsistently
IR213 error   edge is malformed
IR214 warning tensor name is used twice
IR301 error   inputs and attributes of a layer do not fit together
IR302 error   declared output shape differs from the inferred one
IR303 error   declared output precision differs from the inferred one
IR304 error   declared input shape differs from its producer's
IR305 error   declared input precision differs from its producer's
IR306 error   declared output ports differ in number from the operation's
IR307 warning input that OpenVINO accepts and the specification does not allow
IR401 error   weights file is missing
IR402 error   constant lies outside the weights file
IR403 error   constant has fewer bytes than its shape needs
IR404 warning constant has more bytes than its shape needs
IR405 warning weights file has bytes that no constant uses
IR406 warning constants overlap in part
IR407 error   content of a constant is malformed
IR501 error   unknown operation type
IR502 error   unknown opset
IR503 error   operation is not in this opset
IR701 error   layer cannot be computed with these values
IR702 error   computation is beyond a limit
LM001 warning file of a language model's folder is missing
LM002 error   configuration file is malformed
LM003 error   vocabularies of tokenizer and model do not fit together
LM004 warning special tokens differ between files
LM005 error   chat template cannot be used
ON001 error   the file is not an ONNX model
ON002 error   opset is missing or impossible
ON003 warning opset or IR version is newer than the package onnx knows
ON004 error   text is not UTF-8
ON005 error   the model is beyond a limit of this reader
ON101 error   unknown attribute of a node
ON102 error   attribute has the wrong type
ON103 error   required attribute of a node is missing
ON104 error   attribute has an invalid value
ON105 error   required input of a node is missing
ON106 error   wrong number of inputs or outputs
ON107 error   attribute is written twice
ON201 error   value is defined twice
ON202 warning node name is used twice
ON203 warning nodes are not in topological order
ON204 error   value that nothing defines
ON205 error   nodes form a cycle
ON206 error   functions call each other in a cycle
ON207 note    initializer or node is not used
ON301 error   inputs and attributes of a node do not fit together
ON302 error   declared type of a value differs from the computed one
ON303 error   declared shape of a value differs from the computed one
ON304 error   declared type of a value is malformed
ON401 error   external data are missing
ON402 error   external data lie outside the model's folder
ON403 error   external data lie outside their file
ON404 error   tensor is malformed
ON501 error   unknown operator
ON502 warning operator is newer than the model's opset
ON503 warning operator was removed from ONNX
ON504 error   operator or type is not supported
"""


def _read(table: str) -> dict[str, Code]:
    severities: dict[str, Severity] = {"error": "error", "warning": "warning", "note": "note"}
    rows = (line.split(None, 2) for line in table.strip().splitlines())
    return {id: Code(id, severities[severity], title) for id, severity, title in rows}


CODES = _read(_TABLE)
