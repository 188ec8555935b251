"""Aliases: data over core tools, run within their own call."""

from typing import Annotated

import msgspec
import pytest
from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool, Effect
from agent_tools.aliases import tool_of
from agent_tools.broken_tools import BrokenTools
from agent_tools.mapping import filled, without_nulls
from agent_tools.pack import Alias, SubstituteTool
from agent_tools.registry import Pack, Registry
from agent_tools.tool import Arguments, Result, tool
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.world import PackWorld


class Look(Arguments):
    """Where."""

    where: Annotated[str, Field(min_length=1)]
    most: int = 10


class Seen(Result):
    """What was seen."""

    things: list[dict[str, str]]
    who: str | None = None


@tool("look", family="eyes", effect=Effect.PURE, timeout_s=7, source="web")
async def look(args: Look) -> Seen:
    """Look around."""
    if args.where == "taken":
        raise Rejected("it is taken", kind=ErrorKind.CONFLICT, path="/where")
    return Seen(things=[{"name": f"{args.where} {number}"} for number in range(args.most)])


class Peek(Arguments):
    """At what."""

    place: str
    count: int = 2
    hint: str | None = None


PEEK = Alias(
    name="peek",
    family="spying",
    description="Peek.",
    arguments=Peek,
    of="look",
    sends={"where": "$place", "most": "$count"},
    gives={
        "place": "$place",
        "seen": {"$each": "$result.things", "of": "$.name"},
        "number": {"$count": "$result.things"},
    },
    or_else=SubstituteTool("look", {"where": "elsewhere", "most": 1}),
)


def called(alias: Alias) -> Called:
    core = Registry([Pack("core", "1", (look,))])
    made = tool_of(alias, core.get, __name__)
    return Called(PackWorld(registry=Registry([Pack("core", "1", (look, made))])))


async def test_it_sends_what_it_says_and_gives_what_it_says() -> None:
    event = await called(PEEK).event("peek", place="garden")
    assert event.result == {"place": "garden", "seen": ["garden 0", "garden 1"], "number": 2}
    assert [one.kind for one in event.outside] == ["web"], "as the core tool's"


async def test_where_something_is_taken_it_does_the_other_thing() -> None:
    event = await called(PEEK).event("peek", place="taken")
    assert event.result["seen"] == ["elsewhere 0"]


async def test_what_the_core_tool_refuses_is_refused() -> None:
    kind, message, path = await called(PEEK).error("peek", place="")
    assert (kind, path) == (ErrorKind.INVALID_ARGUMENTS, "/place"), "as the caller named it"
    assert message.startswith("peek: /place")
    kind, _, path = await called(PEEK).error("peek", place="garden", count="two")
    assert (kind, path) == (ErrorKind.INVALID_ARGUMENTS, "/count")


async def test_what_it_refuses_while_it_runs_names_the_caller_s_argument() -> None:
    alias = msgspec.structs.replace(PEEK, sends={"where": {"$first_line": "$place"}}, or_else=None)
    kind, _, path = await called(alias).error("peek", place="taken")
    assert (kind, path) == (ErrorKind.CONFLICT, "/place")


def test_it_is_known_by_what_the_core_tool_is() -> None:
    spec = tool_of(PEEK, {"look": look}.get, __name__).spec
    assert (spec.effect, spec.timeout_s, spec.source) == (Effect.PURE, 7, "web")
    assert spec.alias_of == CoreTool("look", "eyes")


@pytest.mark.parametrize(
    ("alias", "why"),
    [
        (Alias("a", "f", "A.", Peek, "nothing", {}, {}), "no core tool"),
        (Alias("a", "f", "A.", Peek, "look", {"colour": "red"}, {}), "'colour'"),
        (Alias("a", "f", "A.", Peek, "look", {}, {}, SubstituteTool("nothing", {})), "falls back"),
    ],
)
def test_one_that_cannot_be_is_refused_before_anything_runs(alias: Alias, why: str) -> None:
    with pytest.raises(BrokenTools, match=why):
        tool_of(alias, {"look": look}.get, __name__)


GIVEN = {
    "text": "# Tea\n\nBoil.",
    "list": [{"n": 1}, {"n": 2}],
    "most": 3,
    "none": None,
    "deep": {"a": {"b": 7}},
}


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        ("$deep.a.b", 7),
        ("$deep.x.y", None),
        ({"$first_line": "$text"}, "Tea"),
        ({"$first_line": ""}, ""),
        ({"$cut": "$text", "to": "$most"}, "# T"),
        ({"$count": "$list"}, 2),
        ({"$each": "$list", "of": {"m": "$.n"}}, [{"m": 1}, {"m": 2}]),
        ({"$each": "$none", "of": "$."}, []),
        ({"$text": ["[", "$most", "] ", "$none", "$text"]}, "[3] # Tea\n\nBoil."),
        ({"$first": ["$none", "$most"]}, 3),
        ({"$least": ["$most", 2]}, 2),
        ({"a": ["$most", True]}, {"a": [3, True]}),
    ],
)
def test_a_shape_is_filled(shape: object, value: object) -> None:
    assert filled(shape, GIVEN) == value


def test_a_shape_that_there_is_not_is_an_error_and_nulls_are_left_out() -> None:
    with pytest.raises(TypeError, match=r"\$upper"):
        filled({"$upper": "$text"}, GIVEN)
    assert without_nulls({"a": None, "b": 0}) == {"b": 0}
