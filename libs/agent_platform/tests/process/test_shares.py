"""Each long test is in exactly one share, short ones are in all."""

from collections import Counter
from pathlib import Path

import pytest

from foldline_testing.agent_platform.shares import Share, share_of, slow_files

pytest_plugins = ["pytester"]

_CONFTEST = 'pytest_plugins = ["foldline_testing.agent_platform.plugin"]'
_SHORT_AND_LONG = """
import pytest
def test_short(): pass
@pytest.mark.long
def test_long(): pass
@pytest.mark.browser
def test_in_a_browser(): pass
"""
_INI = """
[pytest]
markers =
    long
    browser
    processes
long_marks = browser long
always = tests/e2e/test_first.py
"""


def _run(pytester: pytest.Pytester, share: str, *more: str) -> list[str]:
    done = pytester.runpytest_subprocess(
        "-p", "foldline_testing.agent_platform.plugin", "-v", "--share", share, *more
    )
    return [line.split(" ")[0] for line in done.outlines if " PASSED" in line]


def test_each_long_test_is_in_one_share_and_each_short_one_in_all(pytester: pytest.Pytester) -> None:
    pytester.makeini(_INI)
    folder = pytester.mkdir("one")
    for name in ("one", "two", "three"):
        (folder / f"test_{name}.py").write_text(_SHORT_AND_LONG)
    of_the_product = pytester.path / "tests/e2e"
    of_the_product.mkdir(parents=True)
    for name in ("a", "b", "first"):
        (of_the_product / f"test_{name}.py").write_text("def test_it(): pass")
    found = Counter(test for number in (1, 2, 3) for test in _run(pytester, f"{number}/3"))
    every = _run(pytester, "all")
    assert len(every) == 12
    assert found == {test: 3 if test.endswith("test_short") or "test_first" in test else 1 for test in every}


def test_what_is_in_no_share_is_not_even_read(pytester: pytest.Pytester) -> None:
    pytester.makeini(_INI)
    folder = pytester.path / "tests/e2e"
    folder.mkdir(parents=True)
    (folder / "test_a.py").write_text("def test_it(): pass")
    (folder / "test_b.py").write_text("raise RuntimeError('read')")
    assert _run(pytester, "1/2") == ["tests/e2e/test_a.py::test_it"]


def test_fast_leaves_out_slow_files_and_the_whole_product_unread(pytester: pytest.Pytester) -> None:
    pytester.makeini(_INI)
    for name in ("tests/e2e/test_it.py", "one/test_slow.py"):
        path = pytester.path / name
        path.parent.mkdir(parents=True)
        path.write_text("raise RuntimeError('read')")
    (pytester.path / "one/test_quick.py").write_text("def test_it(): pass")
    (pytester.path / "tests/slow.txt").write_text("one/test_slow.py\n")
    assert _run(pytester, "all", "--fast") == ["one/test_quick.py::test_it"]


def test_every_slow_file_is_there() -> None:
    root = Path(__file__).parents[4]
    assert [path for path in slow_files(root) if not path.exists()] == []


@pytest.mark.parametrize("wrong", ["", "0/6", "7/6", "2", "a/b", "1/0", "every"])
def test_a_share_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(pytest.UsageError, match="--share takes all or"):
        share_of(wrong)


def test_neighbours_are_in_different_shares(tmp_path: Path) -> None:
    """A subject's files begin with the same word: no share has all of them."""
    files = [tmp_path / f"test_{letter}.py" for letter in "abcdef"]
    for file in files:
        file.touch()
    assert [[Share(number, 6).has(file) for file in files].index(True) for number in range(1, 7)] == [
        *range(6)
    ]
