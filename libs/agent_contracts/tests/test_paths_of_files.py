"""What a path of a file may be, on any system to which it is unpacked."""

import pytest

from agent_contracts.files import flaw_in_path


@pytest.mark.parametrize(
    "path",
    [
        "C:/evil.txt",
        "c:evil.txt",
        "/etc/passwd",
        "..\\evil.txt",
        "a\\b.txt",
        "\\\\server\\share",
        "a/../b",
        "a\0.txt",
        "NUL",
        "a/con.txt",
        "com1.log",
        "LPT9",
        "aux .txt",
    ],
)
def test_a_path_that_means_something_else_elsewhere_is_refused(path: str) -> None:
    assert flaw_in_path(path) is not None


@pytest.mark.parametrize(
    "path", ["console.txt", "a/b:c.txt", "nullable.csv", "com10", "constant/aux-1.md", "ü.txt"]
)
def test_an_ordinary_path_has_no_flaw(path: str) -> None:
    assert flaw_in_path(path) is None
