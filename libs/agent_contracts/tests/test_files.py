"""Paths of an agent's files."""

import pytest

from agent_contracts.files import LONGEST_PATH, flaw_in_path


@pytest.mark.parametrize(
    "path", ["a", "a b.txt", "notes/2026/x.md", ".hidden", "a/..b/c..", "名前.txt", "x" * LONGEST_PATH]
)
def test_these_are_paths(path: str) -> None:
    assert flaw_in_path(path) is None


@pytest.mark.parametrize(
    ("path", "flaw"),
    [
        ("", "must not be empty"),
        ("x" * (LONGEST_PATH + 1), f"at most {LONGEST_PATH} characters"),
        ("a\nb", "no control characters"),
        ("a\0", "no control characters"),
        ("a\u202eb", "no control characters"),
        ("/etc/passwd", "neither begins nor ends with a slash"),
        ("folder/", "neither begins nor ends with a slash"),
        ("a//b", "no empty part"),
        ("./a", "no empty part"),
        ("a/../b", "no empty part"),
        ("..", "no empty part"),
        ("a\\b", "no backslash"),
    ],
)
def test_what_is_wrong_with_a_path_is_said(path: str, flaw: str) -> None:
    said = flaw_in_path(path)
    assert said is not None
    assert flaw in said
