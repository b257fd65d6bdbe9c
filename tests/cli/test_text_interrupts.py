"""Ctrl-C while a language model reads its folder, its prompt or writes its answer: real signals to real processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "samples" / "story"
PROGRAM = """
import sys, threading
from ir_plugin.openvino.genai import pipeline, streamers
from ir_plugin.openvino.genai.language_model import LanguageModel

place, waits = sys.argv.pop(1), sys.argv.pop(1) == "waits"

def told(function):
    count = 0
    def call(*arguments, **options):
        nonlocal count
        count += 1
        if count == 5 or place != "write":
            sys.stderr.write(f"{place}\\n")
            sys.stderr.flush()
            if waits and count in (1, 5):
                threading.Event().wait()
        return function(*arguments, **options)
    return call

if waits and place == "write":
    from ir_plugin.cli.answer import _Interrupts
    note = _Interrupts.note
    _Interrupts.note = lambda *arguments: (sys.stderr.write("noted\\n"), sys.stderr.flush(), note(*arguments))
owner = {"prefill": LanguageModel, "write": streamers.TextStreamer, "_read_config": pipeline}[place]
setattr(owner, place, told(getattr(owner, place)))
from ir_plugin.cli import main
sys.argv[0] = "ir-plugin"
main()
"""
"""Says on standard error that it is at a place, where the first call, or the fifth token, may wait for ever."""
LONG = ("--max-new-tokens", "8000", "--ignore-eos")


@contextmanager
def at(place: str, *words: str, waits: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process of the command line that is at a place of its work."""
    command = [sys.executable, "-c", PROGRAM, place, "waits" if waits else "goes on", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        if words[0] == "chat":
            process.stdin.write(b"Once\n")
            process.stdin.flush()
        assert process.stderr.readline() == f"{place}\n".encode()
        yield process


def test_an_interrupt_ends_generation_with_the_text_so_far() -> None:
    with at("write", "generate", str(FOLDER), "-p", "Once", *LONG) as process:
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"interrupted\n")
    assert output.endswith(b"\n")
    assert len(output) > 1


def test_an_interrupt_ends_a_document_with_the_text_so_far() -> None:
    with at("write", "generate", str(FOLDER), "-p", "Once", "--json", *LONG) as process:
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    document = json.loads(output)
    assert (process.returncode, errors) == (130, b"interrupted\n")
    assert (document["finish_reason"], document["prompt_tokens"]) == ("interrupted", 3)
    assert 5 <= document["new_tokens"] < 8000
    assert document["text"]


@pytest.mark.parametrize("place", ["_read_config", "prefill"])
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_an_interrupt_before_the_first_token_ends_at_once(place: str, words: list[str]) -> None:
    with at(place, "generate", str(FOLDER), "-p", "Once", *LONG, *words, waits=True) as process:
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, b"", b"interrupted\n")


def test_a_second_interrupt_does_not_wait_for_a_token() -> None:
    with at("write", "generate", str(FOLDER), "-p", "Once", *LONG, waits=True) as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.readline() == b"noted\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"noted\ninterrupted\n")


def test_an_interrupt_in_a_prompt_stops_the_answer_and_not_the_chat() -> None:
    with at("prefill", "chat", str(FOLDER), "--max-new-tokens", "5", waits=True) as process:
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(b"not\n")
    assert (process.returncode, errors) == (0, b"prefill\n")
    assert output.count(b"\n") == 1
