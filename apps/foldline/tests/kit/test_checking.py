"""What `foldline check` says of extensions with something wrong."""

import sys
from pathlib import Path

import pytest

from foldline.kit.checking import flaws_of, needs_of
from foldline.kit.making import EXAMPLES, make
from foldline_testing.product.command import Command

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("service", "engine", "Foldline has a service engine itself"),
        ("chat-channel", "engine", "Foldline has a service engine itself"),
        ("provider", "openai", "Foldline has a provider openai itself"),
        ("channel", "ntfy", "Foldline has a channel ntfy itself"),
        ("block", "table", "Foldline has a block table itself"),
        ("pack", "core", "no pack can be called 'core'"),
        ("service", "admin", "two services have the nats user admin"),
    ],
)
def test_a_name_that_is_taken_is_said(tmp_path: Path, kind: str, name: str, words: str) -> None:
    make(kind, name, tmp_path / "it")
    assert words in "\n".join(flaws_of(tmp_path / "it"))


def test_a_name_that_another_installed_distribution_has_is_said(tmp_path: Path) -> None:
    make("pack", "wintermute", tmp_path)
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace('"foldline-wintermute"', '"foldline-other"'))
    assert "which is installed here, has this name: choose another" in "\n".join(flaws_of(tmp_path))


def changed(folder: Path, kind: str, file: str, old: str, new: str) -> list[str]:
    """What is wrong with the example of a kind in which this is written instead."""
    name = EXAMPLES[kind]
    make(kind, name, folder)
    path = folder / file.format(name)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return flaws_of(folder)


def test_a_new_chat_channel_has_no_word_of_the_program_that_is_the_example(tmp_path: Path) -> None:
    written = "".join(path.read_text().lower() for path in make("chat-channel", "matrix", tmp_path))
    assert "matrix" in written
    assert not [word for word in ("telegram", "botfather", "api.matrix.org") if word in written]


@pytest.mark.parametrize(
    ("kind", "file", "old", "new", "words"),
    [
        ("pack", "foldline_{}/words.py", '    """Greet', '    f"""Greet', "has no docstring"),
        (
            "pack",
            "foldline_{}/words.py",
            '    """Whom to greet."""\n',
            "",
            "the argument name of greet has no",
        ),
        ("pack", "foldline_{}/words.py", 'family="words"', 'family="other"', "says family='other'"),
        ("pack", "foldline_{}/words.py", '"""words of welcome"""', "", "the family words has no docstring"),
        ("pack", "foldline_{}/__init__.py", '"""', "#", "nobody is told what it is for"),
        ("pack", "pyproject.toml", "foldline.tools", "foldline.tool", "did you mean foldline.tools?"),
        ("pack", "pyproject.toml", '= "foldline_greetings"', '= "foldline_other"', "there is no folder"),
        ("pack", "pyproject.toml", '["foldline_greetings"]', '["other"]', "the wheel wouldn't hold"),
        ("pack", "pyproject.toml", "[project]", "[project", "can't be read"),
        (
            "page",
            "foldline_{}/brings/component/board.jsx",
            "</label>",
            "</p>",
            "component board can't be read",
        ),
        ("channel", "foldline_{}/__init__.py", 'tag="pager"', 'tag="pagers"', "its entry point 'pager'"),
        ("channel", "foldline_{}/__init__.py", "sending:", "sender:", "No module named"),
        ("provider", "foldline_{}/asking.py", "INTERFACE =", "OTHER =", "has no INTERFACE"),
        ("condition", "pyproject.toml", ":LANGUAGE", ":language_of", "is no AddedCondition"),
        (
            "block",
            "foldline_{}/__init__.py",
            '["gauge"]',
            '["other"]',
            'needs a member `type: Literal["gauge"]`',
        ),
        ("block", "foldline_{}/__init__.py", "</p>;", "</b>;", "its component can't be read"),
        ("service", "foldline_{}/__init__.py", '"critic",', '"critics",', "named 'critics'"),
        ("door", "foldline_{}/__init__.py", "import os\n", "import ose\n", "No module named 'ose'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, kind: str, file: str, old: str, new: str, words: str) -> None:
    flaws = changed(tmp_path, kind, file, old, new)
    assert any(words in flaw for flaw in flaws), flaws


def test_a_folder_of_another_spelling_is_said(tmp_path: Path) -> None:
    make("page", "board", tmp_path)
    (tmp_path / "foldline_board/brings/component").rename(tmp_path / "foldline_board/brings/pages")
    assert any("brings/pages is not read" in flaw for flaw in flaws_of(tmp_path))


def test_the_secrets_that_its_tools_wait_for_are_told(tmp_path: Path) -> None:
    make("pack", "ours", tmp_path)
    assert (flaws_of(tmp_path), needs_of(tmp_path)) == ([], ["HELPDESK_KEY"])


def test_the_commands_say_what_to_do_next_and_write_over_nothing(tmp_path: Path) -> None:
    foldline = Command(tmp_path / "data", tmp_path)
    made = foldline("new", "block", "dial")
    assert made.code == 0, made.err
    steps = made.out.partition("Then:\n")[2].splitlines()
    assert [step.strip() for step in steps] == [
        "foldline check ./foldline-dial",
        f"{sys.executable} -m pip install ./foldline-dial",
        f"{sys.executable} -m pytest ./foldline-dial",
        "Restart Foldline: it finds extensions as it starts",
        "foldline packs",
    ]
    assert foldline("check", "foldline-dial").out == "Nothing is wrong with it.\n"
    again = foldline("new", "block", "dial")
    assert (again.code, "exists already" in again.err) == (1, True)
    assert foldline("new", "block", "Di al").code == 1
    (tmp_path / "foldline-dial" / "pyproject.toml").write_text("[project]\n")
    wrong = foldline("check", "foldline-dial")
    assert (wrong.code, "nothing would be found" in wrong.err) == (1, True)
