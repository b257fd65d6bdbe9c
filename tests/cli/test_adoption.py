"""The pre-commit hook and the GitHub Action, run over a good and a broken repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
OTHER = "<?xml version='1.0'?>\n<!-- <net> is elsewhere -->\n<project><a></project>\n"
HOOK = {"repo": "local", "hooks": yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a git repository with a model, a folder of it, and XML of another kind that is not well-formed."""
    shutil.copytree(ROOT / "samples" / "embedding", tmp_path / "models")
    (tmp_path / "other.xml").write_text(OTHER, "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def spoil(repository: Path) -> None:
    path = repository / "models" / "embedding.xml"
    path.write_text(path.read_text("utf-8").replace("<dim>8</dim>", "<dim>9</dim>", 1), "utf-8")


def run(repository: Path, *command: str, **variables: str) -> tuple[int, str]:
    """Return the exit status and the output of a command that finds `ir-plugin` on its path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path} | variables
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def pre_commit(repository: Path) -> tuple[int, str]:
    """Run the hook over all files of the repository, in this environment instead of one that pre-commit makes."""
    hook = HOOK["hooks"][0] | {"language": "system"}
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    subprocess.run(["git", "add", "--all"], cwd=repository, check=True)
    cache = str(repository.parent / "pre-commit")
    return run(repository, sys.executable, "-m", "pre_commit", "run", "--all-files", PRE_COMMIT_HOME=cache)


def test_pre_commit(repository: Path) -> None:
    status, text = pre_commit(repository)
    assert status == 0, text
    spoil(repository)
    status, text = pre_commit(repository)
    assert status == 1
    assert "embedding.xml:" in text
    assert "IR302" in text
    assert "other.xml" not in text


def steps(repository: Path, **inputs: str) -> list[tuple[int, str]]:
    """Run the shell steps of the action but the installation, as GitHub does: what is left out fails no step."""
    values = {name: str(spec.get("default", "")) for name, spec in ACTION["inputs"].items()} | inputs
    results = []
    for step in ACTION["runs"]["steps"]:
        if "run" not in step or step["name"].startswith("Install"):
            continue
        if "compare-model" in step.get("if", "") and not values["compare-model"]:
            continue
        variables = {name: _expanded(text, values) for name, text in step.get("env", {}).items()}
        script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        results.append(run(repository, *script, GITHUB_ACTION_PATH=str(ROOT), **variables))
    return results


def _expanded(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"${{{{ inputs.{name} }}}}", value)
    assert "${{" not in text
    return text


def findings(repository: Path) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads((repository / "ir-plugin.sarif").read_text("utf-8"))["runs"][0][
        "results"
    ]
    return results


def test_action(repository: Path) -> None:
    assert [status for status, _ in steps(repository)] == [0]
    assert findings(repository) == []
    spoil(repository)
    ((status, text),) = steps(repository, models="models/*.xml other.xml")
    assert status == 1
    assert "IR302" in text
    assert [item["ruleId"] for item in findings(repository)] == ["IR302"]


def test_the_action_compares_with_a_stored_run(repository: Path) -> None:
    tokens = f"tokens={repository / 'models/tokens.npy'}"
    dumped = run(repository, "ir-plugin", "dump", "models/embedding.xml", "-i", tokens, "--out", "run.npz")
    assert dumped[0] == 0, dumped[1]
    model = {"compare-model": "models/embedding.xml", "compare-with": "run.npz"}
    assert [status for status, _ in steps(repository, **model)] == [0, 0]
    weights = repository / "models" / "embedding.bin"
    weights.write_bytes(bytes(512) + weights.read_bytes()[512:])
    assert [status for status, _ in steps(repository, **model)] == [0, 1]
