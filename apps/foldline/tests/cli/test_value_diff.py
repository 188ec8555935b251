"""What differs between two values, as the preview of a rewind shows it."""

from typing import Any

import pytest

from foldline.cli.value_diff import value_diff

_LONG = "x" * 200
_CODE = "const factor = 9 / 5;\nreturn { fahrenheit: args.celsius * factor + 32 };\n"


def _tool(code: str, **more: Any) -> dict[str, Any]:
    return {"name": "celsius_to_fahrenheit", "description": _LONG, "code": code, **more}


def test_of_a_tool_the_lines_of_code_that_differ_are_shown() -> None:
    assert value_diff(_tool(_CODE.replace("32", "30")), _tool(_CODE)) == [
        "code:",
        "  - return { fahrenheit: args.celsius * factor + 30 };",
        "  + return { fahrenheit: args.celsius * factor + 32 };",
    ]


def test_short_values_stand_in_one_line_and_equal_ones_are_said_to_be() -> None:
    assert value_diff("red", "blue") == ['"red" → "blue"']
    assert value_diff(_tool("a"), _tool("a")) == ["no difference"]


def test_each_member_that_differs_is_named() -> None:
    now = _tool("return 1;", schema={"type": "object", "required": ["a"]}, enabled=True)
    then = _tool("return 2;", schema={"type": "object", "required": ["b"]}, effect="pure")
    assert value_diff(now, then) == [
        'code: "return 1;" → "return 2;"',
        'schema.required.0: "a" → "b"',
        "enabled: true → nothing",
        'effect: nothing → "pure"',
    ]


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (f"{_LONG}a{_LONG}", f"{_LONG}b{_LONG}"),
        (_LONG, f"{_LONG}y"),
        (_tool(_LONG + "\n1\n2"), _tool(_LONG + "\n3\n4")),
        ([_LONG, 1], [_LONG, 2]),
        ([_LONG], [_LONG, 2]),
        (_tool(_CODE), _tool(_CODE.replace("\n", "\r\n"))),
        ({str(n): _LONG for n in range(50)}, {str(n): _LONG + "!" for n in range(50)}),
        ("\n".join(f"{_LONG}{n}" for n in range(99)), "\n".join(f"{_LONG}{n}!" for n in range(99))),
    ],
)
def test_no_two_sides_of_a_change_read_alike(now: Any, then: Any) -> None:
    lines = value_diff(now, then)
    assert 0 < len(lines) <= 20
    assert all(len(line) < 200 for line in lines)
    for line in lines:
        before, arrow, after = line.partition(" → ")
        assert not arrow or before.rpartition(": ")[2] != after


def test_lines_that_differ_beyond_the_width_are_shown_where_they_differ() -> None:
    now = "\n".join(["same", _LONG + "one", _LONG + "two"])
    then = "\n".join(["same", _LONG + "uno", _LONG + "due"])
    shown = value_diff(now, then)
    assert sum("one" in line or "two" in line for line in shown) == 2
    assert sum("uno" in line or "due" in line for line in shown) == 2
