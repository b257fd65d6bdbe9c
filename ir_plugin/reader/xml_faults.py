"""What is wrong with XML that is not well-formed, in the words of its author instead of libxml2's."""

from __future__ import annotations

import re
from typing import NamedTuple

_CUT = "the file was cut off: copy or download it again"


class Fault(NamedTuple):
    """What is wrong, and what to write instead."""

    message: str
    help: str


_FAULTS = (
    (
        r"Opening and ending tag mismatch: (\S+) line (\d+) and (\S+)",
        "<{0}> of line {1} is closed by </{2}>",
        "write </{0}> before it, or remove the tag that is too much",
    ),
    (r"Premature end of data in tag (\S+) line (\d+)", "the file ends inside <{0}> of line {1}", _CUT),
    (
        r"Couldn't find end of Start Tag (\S+) line (\d+)",
        "the tag <{0} of line {1} is not closed by '>'",
        "write '>' at its end",
    ),
    (r"expected '>'", "an end tag is not closed by '>'", "write '>' at its end"),
    (r"xmlParseEntityRef: no name|EntityRef: expecting ';'", "'&' stands alone", "write &amp; for it"),
    (r"Entity '(.*?)' not defined", "the entity &{0}; is not defined", "write the character itself, or &amp; for '&'"),
    (
        r"xmlParseCharRef: invalid xmlChar value (\d+)",
        "the character number {0} may not stand in XML",
        "remove the reference &#{0};",
    ),
    (
        r"CharRef: invalid (?:hexa)?decimal value",
        "'&#' begins no number of a character",
        "write &#65; or &#x41; for a character, &amp; for '&'",
    ),
    (
        r"AttValue: \" or ' expected",
        "the value of an attribute does not begin with a quote",
        'write the value between straight quotes, as name="value"',
    ),
    (
        r"attributes construct error",
        "an attribute does not follow a space, or a quote or '>' before it is lost",
        "write name=\"value\" with both quotes, a space between attributes, and '>' after the last one",
    ),
    (
        r"error parsing attribute name",
        "no name of an attribute stands here",
        "close the tag with >, or write attributes in place of dots",
    ),
    (r"Specification mandates value for attribute (\S+)", "the attribute {0} has no value", 'write {0}="…"'),
    (r"Attribute (\S+) redefined", "the attribute {0} is written twice", "remove one of the two"),
    (
        r"Unescaped '<' not allowed in attributes values",
        "'<' stands in the value of an attribute",
        "write &lt; for it; where a tag begins there, the quote of the value before it is lost",
    ),
    (
        r"Unsupported encoding: detecting EBCDIC",
        "the file is in EBCDIC, an encoding that is not read",
        "save the file as UTF-8",
    ),
    (
        r"StartTag: invalid element name",
        "'<' is not followed by the name of an element",
        "write &lt; for it, or remove it",
    ),
    (
        r"Start tag expected, '<' not found",
        "the file has no element",
        "a model is the .xml of an IR, which begins with <net>",
    ),
    (
        r"Extra content at the end of the document",
        "something follows the root element",
        "remove what follows its end tag; a file holds one <net>",
    ),
    (
        r"(?:PCDATA invalid Char value|Char 0x0 out of allowed range|invalid character in attribute value).*",
        "a control character stands in the text",
        "remove it; XML allows no control characters but tab and line ends",
    ),
    (
        r"(?:Invalid bytes in character encoding|Input is not proper UTF-8).*",
        "bytes are not in the encoding of the file",
        'save the file as UTF-8, or name its encoding in the first line: <?xml version="1.0" encoding="…"?>',
    ),
    (
        r"Unsupported encoding:? (.*)",
        "the encoding {0} is not known",
        'save the file as UTF-8, and write encoding="utf-8"',
    ),
    (
        r"XML declaration allowed only at the start of the document",
        "something stands before <?xml …?>",
        "remove what stands before it, blanks too",
    ),
    (
        r"String not started expecting.*|Malformed declaration.*|Blank needed here|parsing XML declaration.*",
        "the XML declaration is not right",
        'write <?xml version="1.0"?>',
    ),
    (r"Comment not terminated.*", "a comment is not closed", "write --> where it ends"),
    (
        r"Double hyphen within comment.*",
        "'--' stands within a comment",
        "write one hyphen, or close the comment by -->",
    ),
    (r"CData section not finished.*", "<![CDATA[ is not closed", "write ]]> where the text ends"),
    (r"ParsePI: PI (\S+) never end.*", "<?{0} is not closed", "write ?> where it ends"),
    (
        r"Namespace prefix (\S+) on (\S+) is not defined",
        "the prefix of <{0}:{1}> is not declared",
        "write <{1}> without a prefix; an IR needs none",
    ),
    (
        r"Namespace prefix (\S+) for (\S+) on (\S+) is not defined",
        "the prefix of the attribute {0}:{1} is not declared",
        "write {1} without a prefix; an IR needs none",
    ),
)
"""Patterns of libxml2's messages, what each says, and what helps."""


_ENDS_ELSEWHERE = ("Premature", "Comment", "CData", "ParsePI", "Extra", "Start tag", "Opening and ending")
"""How messages begin whose cause is another than a cut where they stand at the end of a file."""


def explained(reason: str, is_at_end: bool = False) -> Fault:
    """Return what a message of libxml2 says, at the end of the file or before it; an unknown one as it is."""
    if is_at_end and not reason.startswith(_ENDS_ELSEWHERE):
        return Fault("the file ends within a tag", _CUT)
    for pattern, message, help in _FAULTS:
        matched = re.fullmatch(pattern, reason, re.DOTALL)
        if matched is not None:
            return Fault(message.format(*matched.groups()), help.format(*matched.groups()))
    return Fault(reason, "")
