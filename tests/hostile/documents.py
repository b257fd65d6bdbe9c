"""Variants of the document itself: XML, encodings, versions, limits."""

from __future__ import annotations

from tests.hostile.variant import Variant, cut, cut_layer, every, nested, swap, within

HEAD = '<?xml version="1.0"?>'
LAUGHS = "<!DOCTYPE net [" + "".join(
    f'<!ENTITY l{level} "{f"&l{level - 1};" * 10 if level else "ha"}">' for level in range(10)
)

WELL_FORMED = [
    Variant("an unclosed tag", (swap("</edges>", ""),), "IR002", "</net>"),
    Variant("cut in the middle", (lambda text: text[: text.index("<edges>")] + "<edges",), "IR002", "<edges"),
    Variant("two roots", (lambda text: text + "<net/>",), "IR002", "<net/>"),
    Variant("text behind the root", (lambda text: text + "tail",), "IR002", "tail"),
    Variant("an attribute twice", (within("conv", 'pads_begin="1, 1"', 'strides="1, 1"'),), "IR002", "conv: <data"),
    Variant("an unquoted attribute", (swap('id="5"', "id=5"),), "IR002", "id=5"),
    Variant("a bare ampersand", (swap('name="relu"', 'name="re&lu"'),), "IR002", 're&lu'),
    Variant("a less-than sign in a value", (swap('name="relu"', 'name="re<lu"'),), "IR002", 're<lu'),
    Variant("an undefined entity", (swap('name="relu"', 'name="re&nope;lu"'),), "IR002", "re&nope;lu"),
    Variant("a reference to character 0", (swap('name="relu"', 'name="re&#0;lu"'),), "IR002", "re&#0;lu"),
    Variant("a terminal escape as a reference", (swap('name="relu"', 'name="&#27;[31m"'),), "IR002", "&#27;"),
    Variant("a raw control character", (swap('name="relu"', 'name="\x1b[31m"'),), "IR002", "\x1b"),
    Variant("a NUL byte in a name", (swap('name="relu"', 'name="re\0lu"'),), "IR002", "re\0lu"),
    Variant("a NUL byte behind the root", (lambda text: text + "\0",), "IR002", "\0"),
    Variant("NUL bytes only", (lambda _: "\0" * 64,), "IR005"),
    Variant("an empty file", (lambda _: "",), "IR005"),
    Variant("blanks only", (lambda _: " \n\t\n",), "IR005"),
    Variant("no XML", (lambda _: "PK\x03\x04 certainly no XML",), "IR005", "PK"),
    Variant("JSON", (lambda _: '{"net": {}}',), "IR005", "{"),
    Variant("an unclosed comment", (swap("<edges>", "<!-- <edges>"), str.rstrip), "IR002", "</net>"),
    Variant("a blank before the declaration", (lambda text: " " + text,), "IR002", "<?xml"),
    Variant("an unbound prefix", (swap("<rt_info/>", "<x:rt_info/>"),), "IR002", "<x:rt_info/>"),
]  # fmt: skip

ENCODINGS = [
    Variant("latin-1 bytes without a declaration", (swap('name="relu"', 'name="rélu"'),), "IR002", "rélu",
            encoding=lambda text: text.encode("latin-1")),
    Variant("a lone continuation byte", (), "IR002", 'name="relu"',
            encoding=lambda text: text.encode().replace(b'name="relu"', b'name="re\x80lu"')),
    Variant("an overlong sequence", (), "IR002", 'name="relu"',
            encoding=lambda text: text.encode().replace(b'name="relu"', b'name="re\xc0\xaflu"')),
    Variant("a surrogate in UTF-8", (), "IR002", 'name="relu"',
            encoding=lambda text: text.encode().replace(b'name="relu"', b'name="re\xed\xa0\x80lu"')),
    Variant("an unknown encoding", (swap(HEAD, '<?xml version="1.0" encoding="klingon"?>'),), "IR002", "klingon"),
    Variant("a BOM", (lambda text: "\ufeff" + text,)),
    Variant("UTF-16 with a BOM", (swap(HEAD, '<?xml version="1.0" encoding="UTF-16"?>'),),
            encoding=lambda text: text.encode("utf-16")),
    Variant("UTF-16 big endian", (swap(HEAD, '<?xml version="1.0" encoding="UTF-16"?>'),),
            encoding=lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
    Variant("declared latin-1", (swap(HEAD, '<?xml version="1.0" encoding="ISO-8859-1"?>'),
                                 swap('name="relu"', 'name="rélu"')),
            encoding=lambda text: text.encode("latin-1")),
    Variant("a fault in UTF-16", (swap(HEAD, '<?xml version="1.0" encoding="UTF-16"?>'), swap('"ReLU"', '"ReLV"')),
            "IR501", "ReLV", encoding=lambda text: text.encode("utf-16")),
    Variant("a direction override in a name", (swap('name="relu"', 'name="\u202eulre"'),)),
    Variant("an unused xmlns", (swap('<net name', '<net xmlns="http://example.org/ir" name'),)),
    Variant("comments and processing instructions", (swap("<edges>", "<!-- edges --><?note here?>\n    <edges>"),)),
]  # fmt: skip

ENTITIES = [
    Variant("a document type", (swap("<net", "<!DOCTYPE net>\n<net"),), "IR003", "<!DOCTYPE"),
    Variant("an internal entity", (swap("<net", '<!DOCTYPE net [<!ENTITY n "relu">]>\n<net'),
                                   swap('"relu"', '"&n;"')), "IR003", "<!DOCTYPE"),
    Variant("an external entity", (swap("<net", '<!DOCTYPE net [<!ENTITY f SYSTEM "file:///etc/passwd">]>\n<net'),
                                   swap("<rt_info/>", "<rt_info>&f;</rt_info>")), "IR003", "<!DOCTYPE"),
    Variant("an external subset", (swap("<net", '<!DOCTYPE net SYSTEM "http://192.0.2.1/ir.dtd">\n<net'),),
            "IR003", "<!DOCTYPE"),
    Variant("a parameter entity", (swap("<net", '<!DOCTYPE net [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]>\n<net'),),
            "IR003", "<!DOCTYPE"),
    Variant("a billion laughs", (swap("<net", LAUGHS + "]>\n<net"), swap('"relu"', '"&l9;"')), "IR003", "<!DOCTYPE"),
    Variant("a document type behind a comment", (swap("<net", "<!-- > --><?a b?>\n<!DOCTYPE net>\n<net"),),
            "IR003", "<!DOCTYPE"),
    Variant("a document type in UTF-16", (swap(HEAD, '<?xml version="1.0" encoding="UTF-16"?>'),
                                          swap("<net", "<!DOCTYPE net>\n<net")), "IR003", "<!DOCTYPE",
            encoding=lambda text: text.encode("utf-16")),
    Variant("a document type in UTF-16 without a BOM", (swap(HEAD, '<?xml version="1.0" encoding="UTF-16LE"?>'),
                                                        swap("<net", "<!DOCTYPE net>\n<net")), "IR003", "<!DOCTYPE",
            encoding=lambda text: text.encode("utf-16-le")),
    Variant("an inclusion", (swap("<rt_info/>", '<rt_info xmlns:xi="http://www.w3.org/2001/XInclude">'
                                  '<xi:include href="file:///etc/passwd"/></rt_info>'),)),
    Variant("the word DOCTYPE in a comment", (swap("<net", "<!-- <!DOCTYPE net> -->\n<net"),)),
]  # fmt: skip

LIMITS = [
    Variant("257 unknown elements deep", (swap("<rt_info/>", nested(257)),), "IR004", "<deep>"),
    Variant("10,000 elements deep in rt_info", (swap("<rt_info/>", f"<rt_info>{nested(10_000)}</rt_info>"),),
            "IR004", "<deep>"),
    Variant("an attribute of 11 million characters", (swap('name="relu"', f'name="{"r" * 11_000_000}"'),),
            "IR004", "rrr"),
    Variant("an attribute of 9 million characters", (swap('name="relu"', f'name="{"r" * 9_000_000}"'),)),
    Variant("a shape of 9 million characters", (swap('shape="1,3,8,8"', f'shape="{"1," * 4_500_000}1"'),),
            "IR102", "x: <data"),
    Variant("100 dimensions in a port", (within("relu", "<dim>8</dim>", "<dim>1</dim>" * 100),), "IR111",
            "relu: <port"),
    Variant("a port of 10,000 dimensions of 2**62",
            (within("relu", "<dim>8</dim>", "<dim>4611686018427387904</dim>" * 10_000),), "IR111", "relu: <port"),
    Variant("2,000 attributes", (within("relu", "<input>",
            "<data " + " ".join(f'a{n}="1"' for n in range(2000)) + "/>\n"
                                          "            <input>"),), "IR004", "relu: <data"),
    Variant("200 elements deep", (swap("<rt_info/>", f"<rt_info>{nested(200)}</rt_info>"),)),
]  # fmt: skip

VERSIONS = [
    *(Variant(f"version {version}", (swap('version="11"', f'version="{version}"'),), "IR006", "<net")
      for version in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 99, "abc", "", "11.0", "-11", "1" * 40)),
    Variant("no version", (swap(' version="11"', ""),), "IR006", "<net"),
    Variant("version 10", (swap('version="11"', 'version="10"'),)),
    Variant("another root", (swap("<net ", "<model "), swap("</net>", "</model>")), "IR005", "<model"),
    Variant("a misspelled root", (swap("<net ", "<Net "), swap("</net>", "</Net>")), "IR005", "<Net"),
    Variant("no name", (swap(' name="model"', ""),)),
    Variant("no layers", (cut("<layers>", "</layers>"),), "IR110", "<net"),
    Variant("empty layers", (lambda text: text[: text.index("<layer ")] + text[text.index("    </layers>") :],),
            "IR211",
            "<layers>"),
    Variant("no edges", (cut("<edges>", "</edges>"),), "IR110", "<net"),
    Variant("misspelled edges", (swap("<edges>", "<edgs>"), swap("</edges>", "</edgs>")), "IR110", "<net",
            also=("IR107",)),
    Variant("misspelled layers", (swap("<layers>", "<layrs>"), swap("</layers>", "</layrs>")), "IR110", "<net",
            also=("IR107",)),
    Variant("no Result", (cut_layer("out"), cut('        <edge from-layer="5"', "/>\n")), "IR211", "<layers>"),
    Variant("an unknown top-level element", (swap("<rt_info/>", "<surprise/>"),), "IR107", "<surprise/>"),
    Variant("an unknown element among layers", (swap("    </layers>", "        <surprise/>\n    </layers>"),),
            "IR107", "<surprise/>"),
    Variant("an unknown element in a layer", (within("relu", "<input>", "<surprise/><input>"),), "IR107",
            "<surprise/>"),
    Variant("an unknown element in a port", (within("relu", "<dim>1</dim>", "<surprise/>\n<dim>1</dim>"),),
            "IR107", "<surprise/>"),
    Variant("old meta data", (swap("<rt_info/>", '<meta_data><MO_version value="1"/></meta_data>'),)),
    Variant("an old pre-process section", (swap("<rt_info/>", '<pre-process mean-precision="FP32"/>'),)),
    Variant("tabs for blanks", (every("    ", "\t"),)),
    Variant("carriage returns", (every("\n", "\r\n"),)),
    Variant("a file of one line", (every("\n", " "),)),
]  # fmt: skip

GROUPS = {
    "XML that is not well-formed": WELL_FORMED,
    "encodings": ENCODINGS,
    "entities and document types": ENTITIES,
    "limits": LIMITS,
    "versions and the frame of the file": VERSIONS,
}
