"""Schemas generated from the annotated fields and `infer` of plugin operations without an XSD."""

from __future__ import annotations

import inspect
from html import escape
from typing import Any, Literal, get_args, get_origin

from ir_plugin.errors import Error
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.tensors import ElementType, PartialShape

_TYPES: dict[Any, str] = {
    bool: "boolean", int: "int", float: "float", str: "string", ElementType: "element_type",
    PartialShape: "partial_shape", tuple[int, ...]: "ints", tuple[float, ...]: "floats", tuple[str, ...]: "strings",
}  # fmt: skip


def generate_schema(cls: OperationClass) -> str:
    """Return the XSD of an operation; raises `Error` for a field that no IR attribute can represent.

    A field with a value in the class is optional; a `Literal` of words is an enumeration. The parameters of `infer`
    determine the numbers of inputs; one or more outputs are allowed.
    """
    fields = _fields(cls)
    attributes = "".join(_attribute(cls, name, annotation) for name, annotation in fields.items())
    optional = "" if any(not hasattr(cls, name) for name in fields) else ' minOccurs="0"'
    return f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="../../layer.xsd"/>
  <xs:element name="layer">
    <xs:complexType>
      <xs:all>
        <xs:element name="data"{optional}>
          <xs:complexType>{attributes}
            <xs:attributeGroup ref="extras"/>
          </xs:complexType>
        </xs:element>
        <xs:element name="rt_info" type="rt_info" minOccurs="0"/>{_input_element(cls)}
        <xs:element name="output" type="ports-1-any"/>
      </xs:all>
      <xs:attributeGroup ref="layer"/>
    </xs:complexType>
  </xs:element>
</xs:schema>"""


def _fields(cls: OperationClass) -> dict[str, Any]:
    """Return the annotation of every field, by name."""
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if not issubclass(base, Operation) or base is Operation:
            continue
        try:
            annotations = inspect.get_annotations(base, eval_str=True)
        except (NameError, TypeError, AttributeError, SyntaxError) as fault:
            raise Error(
                f"the annotations of {base.__qualname__} cannot be read: {fault}; write an XSD instead"
            ) from None
        fields |= {name: annotation for name, annotation in annotations.items() if name in cls.fields()}
    return fields


def _attribute(cls: OperationClass, name: str, annotation: Any) -> str:
    default = getattr(cls, name, None)
    use = ' use="required"' if default is None else f' default="{escape(_text(default))}"'
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    if words and all(isinstance(word, str) for word in words):
        lines = "".join(f'<xs:enumeration value="{escape(word)}"/>' for word in words)
        kind = f'<xs:simpleType><xs:restriction base="xs:token">{lines}</xs:restriction></xs:simpleType>'
        return f'\n            <xs:attribute name="{name}"{use}>{kind}</xs:attribute>'
    if annotation not in _TYPES:
        label = getattr(annotation, "__name__", str(annotation))
        supported = "bool, int, float, str, tuples of them, Literal words, ElementType and PartialShape"
        raise Error(f"{cls.__qualname__}.{name} is annotated {label}; without an XSD fields may be {supported}")
    return f'\n            <xs:attribute name="{name}" type="{_TYPES[annotation]}"{use}/>'


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, ElementType):
        return value.name
    return ", ".join(map(_text, value)) if isinstance(value, tuple) else str(value)


def _input_element(cls: OperationClass) -> str:
    least, most = _inputs(cls)
    if most == 0:
        return ""
    limit = "unbounded" if most is None else str(most)
    port = f'<xs:element name="port" type="port" minOccurs="{least}" maxOccurs="{limit}"/>'
    optional = ' minOccurs="0"' if least == 0 else ""
    kind = f"<xs:complexType><xs:sequence>{port}</xs:sequence></xs:complexType>"
    return f'\n        <xs:element name="input"{optional}>{kind}</xs:element>'


def _inputs(cls: OperationClass) -> tuple[int, int | None]:
    parameters = [
        parameter
        for name, parameter in inspect.signature(cls.infer).parameters.items()
        if name not in ("self", "inference")
    ]
    fixed = [parameter for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL]
    least = sum(parameter.default is parameter.empty for parameter in fixed)
    return least, len(fixed) if len(fixed) == len(parameters) else None
