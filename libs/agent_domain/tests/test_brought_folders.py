"""A file that lies where nothing is looked for is said in a sentence, not passed over."""

from pathlib import Path

import pytest

from agent_domain.starters import definitions_in


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("skills/tea.md", r"brings/skills is not read: there are the folders tool, function, .*skill"),
        ("skill/tea.markdown", r"skill/tea.markdown is not read: a skill ends with \.md"),
    ],
)
def test_what_nobody_reads_is_named(tmp_path: Path, path: str, said: str) -> None:
    file = tmp_path / "brings" / path
    file.parent.mkdir(parents=True)
    file.write_text("# Tea")
    with pytest.raises(ValueError, match=said):
        list(definitions_in(tmp_path / "brings"))


def test_what_belongs_there_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "brings" / "skill"
    folder.mkdir(parents=True)
    (tmp_path / "brings" / "__init__.py").touch()
    (folder / "tea.md").write_bytes(b"\xef\xbb\xbf# Tea")  # as some editors write it
    (folder / "tea.json").write_bytes(b'\xef\xbb\xbf{"description": "Brewing"}')
    [tea] = definitions_in(tmp_path / "brings")
    assert (tea.name, tea.value["content"], tea.value["description"]) == ("tea", "# Tea", "Brewing")
