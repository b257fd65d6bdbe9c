"""`check --fix`: what it changes, and that it changes nothing else."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from ir_plugin import Core, Error
from ir_plugin.operations.registry import Registry
from ir_plugin.schema.catalogue import standard
from ir_plugin.validation.changes import changes
from ir_plugin.validation.fix import FixedFile, fix_file
from tests.hostile.bases import BASES, Base, conv
from tests.hostile.table import VARIANTS
from tests.hostile.variant import Variant
from tests.support.changed import DIGITS

FIXED = {
    name: variant
    for name, variant in VARIANTS.items()
    if variant.code in ("IR302", "IR303", "IR304", "IR305", "IR203", "IR106")
    or name.startswith("ports: the dimension")
    or any(word in name for word in ("constants: another", "constants: a type of half",
    "misspelled attribute", "misspelled word", "precision for an element",
    "small letters"))
}  # fmt: skip
UNFIXED = {
    "ports: the dimension of nothing", "ports: a misspelled attribute of a port",
    "bodies: a misspelled attribute of the port map",
}  # fmt: skip
UNCERTAIN = {"edges: an edge from another layer"}
UNCERTAIN |= {name for name in VARIANTS if name.startswith("exchanged: ")}
UNCERTAIN |= {"constants: no shape where the port has one", "edges: the edges to two inputs exchanged"}


def written(folder: Path, xml: bytes, weights: bytes | None) -> Path:
    path = folder / "model.xml"
    path.write_bytes(xml)
    if weights is not None:
        path.with_suffix(".bin").write_bytes(weights)
    return path


def fixed(folder: Path, variant: Variant) -> FixedFile:
    return fix_file(written(folder, variant.xml, variant.bin), Registry(), standard())


@pytest.mark.parametrize("name", sorted(set(FIXED) - UNFIXED - UNCERTAIN))
def test_what_has_one_right_answer_is_fixed(name: str, tmp_path: Path) -> None:
    result = fixed(tmp_path, FIXED[name])
    assert result.is_changed
    result.write()
    assert list(Core().validate(result.path).findings) == []


@pytest.mark.parametrize("name", sorted(UNFIXED | UNCERTAIN))
def test_what_has_no_plain_answer_is_left(name: str, tmp_path: Path) -> None:
    result = fixed(tmp_path, VARIANTS[name])
    assert not result.is_changed


def test_only_the_wrong_characters_change(tmp_path: Path) -> None:
    base = conv()
    line = "                    <dim  >\t9 </dim ><!-- wrong -->"
    xml = base.xml.replace("\n", "\r\n").replace("<net ", "<!-- kept -->\r\n<net   ")
    begin = xml.index('name="relu"')
    good = xml[:begin] + xml[begin:].replace("                    <dim>8</dim>", line.replace("9", "8"), 1)
    bad = xml[:begin] + xml[begin:].replace("                    <dim>8</dim>", line, 1)
    result = fix_file(written(tmp_path, bad.encode(), base.weights), Registry(), standard())
    assert result.after == good.encode()


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_a_declared_rank_is_fixed(count: int, tmp_path: Path) -> None:
    base = conv()
    begin = base.xml.index("<output>", base.xml.index('name="relu"'))
    end = base.xml.index("</output>", begin)
    dims = "".join(f"\n                    <dim>{length}</dim>" for length in (1, 4, 8, 8))
    wrong = "".join("\n                    <dim>2</dim>" for _ in range(count))
    bad = base.xml[:begin] + base.xml[begin:end].replace(dims, wrong) + base.xml[end:]
    result = fix_file(written(tmp_path, bad.encode(), base.weights), Registry(), standard())
    if count == 0:
        assert not result.is_changed
    elif count == 1:
        result.write()
        assert list(Core().validate(result.path).findings) == []
    else:
        assert result.after.decode() == base.xml


def test_several_faults_are_mended_at_once(tmp_path: Path) -> None:
    base = conv()
    bad = base.xml.replace("strides=", "stride=").replace('"explicit"', '"EXPLICIT"')
    begin = bad.index('name="add"')
    bad = bad[:begin] + bad[begin:].replace("<dim>8</dim>", "<dim>7</dim>").replace(' precision="FP32" names', " names")
    result = fix_file(written(tmp_path, bad.encode(), base.weights), Registry(), standard())
    assert result.after.decode().replace(' names="y" precision="FP32"', ' precision="FP32" names="y"') == base.xml


def test_a_valid_file_is_left(tmp_path: Path) -> None:
    for name, make in BASES.items():
        base: Base = make()
        folder = tmp_path / name
        folder.mkdir()
        assert not fix_file(written(folder, base.xml.encode(), base.weights), Registry(), standard()).is_changed


@pytest.mark.parametrize("data", [b"", b"<net", b"<a/>", b"<net version='7'/>", b"\xff\xfe<\0"])
def test_what_cannot_be_read_is_left(data: bytes, tmp_path: Path) -> None:
    assert not fix_file(written(tmp_path, data, None), Registry(), standard()).is_changed


def test_another_encoding_is_left(tmp_path: Path) -> None:
    xml = VARIANTS["shapes and types: a wrong declared output dimension"].text
    data = xml.replace('version="1.0"', 'version="1.0" encoding="UTF-16"', 1).encode("utf-16")
    assert not fix_file(written(tmp_path, data, conv().weights), Registry(), standard()).is_changed


WRONG = VARIANTS["shapes and types: a wrong declared output dimension"]


def test_writing_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    real = written(tmp_path, WRONG.xml, WRONG.bin)
    real.chmod(0o640)
    link = tmp_path / "link.xml"
    link.symlink_to(real)
    link.with_suffix(".bin").symlink_to(real.with_suffix(".bin"))
    fix_file(link, Registry(), standard()).write()
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert list(Core().validate(real).findings) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.bin", "link.xml", "model.bin", "model.xml"]


def test_a_crash_while_writing_leaves_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = fixed(tmp_path, WRONG)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fail)
            with pytest.raises(Error, match="cannot be written: No space left"):
                result.write()
        assert result.path.read_bytes() == WRONG.xml
        assert sorted(path.name for path in tmp_path.iterdir()) == ["model.bin", "model.xml"]


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    result = fixed(tmp_path, WRONG)
    result.path.write_bytes(b"<net/>")
    with pytest.raises(Error, match="changed by another program"):
        result.write()
    assert result.path.read_bytes() == b"<net/>"


def test_the_diff_shows_the_lines(tmp_path: Path) -> None:
    lines = fixed(tmp_path, WRONG).diff().splitlines()
    assert [line.strip() for line in lines if line[0] in "+-" and line[1] == " "] == [
        "-                    <dim>5</dim>",
        "+                    <dim>4</dim>",
    ]


def conv_with(old: str, new: str) -> bytes:
    """Return the network with a change from its convolution on."""
    xml = conv().xml
    begin = xml.index('name="conv"')
    assert old in xml[begin:]
    return (xml[:begin] + xml[begin:].replace(old, new, 1)).encode()


def test_an_attribute_that_explains_all_ports_is_fixed_instead_of_them(tmp_path: Path) -> None:
    wrong = conv_with('strides="1, 1"', 'strides="2, 2"')
    findings = Core().validate(written(tmp_path, wrong, conv().weights)).findings
    assert [finding.code for finding in findings] == ["IR302"]
    assert 'write strides="1, 1", which gives what the ports declare' in findings[0].help
    assert '"add" reads it as declared' in findings[0].because
    result = fix_file(tmp_path / "model.xml", Registry(), standard())
    assert result.after == conv().xml.encode()
    assert [change for _, change in result.changes()] == ['strides="2, 2" → strides="1, 1"']


def test_no_port_changes_where_several_attributes_would_explain_them(tmp_path: Path) -> None:
    wrong = conv_with('pads_begin="1, 1"', 'pads_begin="0, 0"')
    findings = Core().validate(written(tmp_path, wrong, conv().weights)).findings
    assert 'write pads_begin="1, 1" or pads_end="2, 2"' in findings[0].help
    assert not fix_file(tmp_path / "model.xml", Registry(), standard()).is_changed


def test_the_nearest_value_of_an_attribute_is_suggested(tmp_path: Path) -> None:
    text = DIGITS.read_text("utf-8")
    assert text.count('kernel="2, 2"') == 1
    shutil.copy(DIGITS.with_suffix(".bin"), tmp_path / "m.bin")
    (tmp_path / "m.xml").write_text(text.replace('kernel="2, 2"', 'kernel="3, 3"'), "utf-8")
    (finding,) = Core().validate(tmp_path / "m.xml").findings
    assert 'or kernel="2, 2", which gives what the ports declare' in finding.help


def test_what_the_readers_do_not_confirm_is_the_port(tmp_path: Path) -> None:
    begin = conv().xml.index("<output>", conv().xml.index('name="conv"'))
    wrong = conv().xml[:begin] + conv().xml[begin:].replace("<dim>8</dim>", "<dim>9</dim>", 1)
    findings = Core().validate(written(tmp_path, wrong.encode(), conv().weights)).findings
    assert [(finding.code, finding.edits) for finding in findings] == [("IR302", ())]
    result = fix_file(tmp_path / "model.xml", Registry(), standard())
    assert [change for _, change in result.changes()] == ["<dim>9</dim> → <dim>8</dim>"]


def test_a_constant_of_another_type_is_told_by_its_readers(tmp_path: Path) -> None:
    variant = VARIANTS["constants: another type of the same size"]
    findings = Core().validate(written(tmp_path, variant.xml, variant.bin)).findings
    assert [edit.name for finding in findings for edit in finding.edits] == ["element_type"]
    assert "does not fit" in findings[0].because


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["a", '  <data x="1, 2" y="3" />'], ["a", '  <data x="1, 5" y="3" />'], [(2, 'x="1, 2" → x="1, 5"')]),
        (["<p>", "<dim>2</dim>", "</p>"], ["<p>", "<dim>1</dim>", "<dim>4</dim>", "</p>"],
         [(2, "<dim>2</dim> → <dim>1</dim> <dim>4</dim>")]),
    ],
)  # fmt: skip
def test_a_change_is_as_short_as_its_words(
    before: list[str], after: list[str], expected: list[tuple[int, str]]
) -> None:
    assert list(changes(before, after)) == expected
