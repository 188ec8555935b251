"""Which parts of a prompt are for people alone, and which edits of an agent keep them."""

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.people_only import people_only, require_kept

RULES = "Never pay.\nAsk first."
MARKED = f"Be kind.\n<people-only>\n{RULES}\n</people-only>\nBe brief."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("Be kind.", []),
        (MARKED, [RULES]),
        (f"{MARKED}\n  <people-only>  \nx\n</people-only>", [RULES, "x"]),
        ("a\n<people-only>\nto the\nend", ["to the\nend"]),
        ("<people-only>\na\n<people-only>\nb\n</people-only>\nc\n</people-only>", ["a\n<people-only>\nb"]),
        ("in words: <people-only> stands in a line of its own", []),
        ("</people-only>\na", []),
    ],
)
def test_a_part_stands_between_two_lines(text: str, parts: list[str]) -> None:
    assert people_only(text) == parts


@pytest.mark.parametrize(
    "after",
    [MARKED, f"More.\n{MARKED}\nAnd more.", MARKED.replace("kind", "rude"), MARKED + "\n</people-only>"],
)
def test_what_stands_outside_may_be_edited(after: str) -> None:
    require_kept(MARKED, after)


@pytest.mark.parametrize(
    "after",
    [
        "",
        "Be kind.",
        MARKED.replace("Never", "Always"),
        MARKED.replace("<people-only>\n", ""),
        MARKED.replace("\n</people-only>", ""),
        MARKED.replace("Never pay.", "Never pay.\n</people-only>\nexcept by card\n<people-only>"),
        f"<people-only>\n{MARKED}",
        f"{MARKED}\n<people-only>\nmine",
        f"Be kind.\n<people-only>\n{RULES} \n</people-only>",
    ],
)
def test_a_part_that_is_changed_gone_or_new_is_refused(after: str) -> None:
    with pytest.raises(Rejected) as refused:
        require_kept(MARKED, after)
    assert refused.value.kind == ErrorKind.REFUSED


def test_an_agent_marks_nothing_itself() -> None:
    with pytest.raises(Rejected, match="only people mark a part"):
        require_kept("Be kind.", "Be kind.\n<people-only>\nmine\n</people-only>")
