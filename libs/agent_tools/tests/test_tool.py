"""The shape of a tool, and the schema that a model is given for it."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from agent_contracts.tool_spec import AvailableTo, Effect, RunsOn
from agent_tools.schema import parameters_schema
from agent_tools.tool import Arguments, Pause, Result, tool


class Place(Arguments):
    """Ours."""

    title: Annotated[str, Field(description="What it is called.")]
    kind: Literal["city", "village"] = "city"


class Visit(Arguments):
    """Ours as well."""

    first: Place
    others: list[Place] = Field(default_factory=list)
    by_name: dict[str, Place] = Field(default_factory=dict)


class Done(Result):
    """Nothing to tell."""


@tool("visit", family="travel", effect=Effect.EXTERNAL, timeout_s=5)
async def visit(args: Visit) -> Done:
    """Go there."""
    return Done()


def test_a_tool_declares_what_the_catalogue_says_of_it() -> None:
    assert visit.spec.name == "visit"
    assert visit.spec.description == "Go there."
    assert visit.spec.family == "travel"
    assert visit.spec.effect is Effect.EXTERNAL
    assert visit.spec.runs_on is RunsOn.TOOLS
    assert visit.spec.available_to is AvailableTo.ALL
    assert visit.spec.timeout_s == 5
    assert not visit.spec.pauses


def test_its_schema_stands_alone_and_has_no_titles_but_keeps_a_property_of_that_name() -> None:
    place = {
        "type": "object",
        "required": ["title"],
        "properties": {
            "title": {"type": "string", "description": "What it is called."},
            "kind": {"enum": ["city", "village"], "default": "city", "type": "string"},
        },
    }
    schema = visit.spec.parameters
    nested = schema["properties"]["first"]
    nested.pop("description", None)
    assert nested == place
    assert schema["properties"]["others"]["items"]["properties"] == place["properties"]
    assert schema["properties"]["by_name"]["additionalProperties"]["required"] == ["title"]
    assert schema["type"] == "object"
    assert "$defs" not in schema
    assert "description" not in schema


def test_its_schema_says_nothing_that_only_costs_tokens() -> None:
    class Search(Arguments):
        """What for."""

        words: Annotated[str, Field(min_length=1, max_length=9)]
        most: Annotated[int | None, Field(ge=1, description="How many.")] = None
        either: int | str | None = None
        nothing: int | None

    @tool("search", family="travel", effect=Effect.PURE)
    async def search(args: Search) -> Done:
        """Look."""
        return Done()

    assert search.spec.parameters == {
        "type": "object",
        "properties": {
            "words": {"type": "string"},
            "most": {"type": "integer", "minimum": 1, "description": "How many."},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "nothing": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["words", "nothing"],
    }


def test_arguments_that_contain_themselves_are_refused() -> None:
    with pytest.raises(ValueError, match="inside itself"):

        @tool("climb", family="travel", effect=Effect.PURE)
        async def climb(args: Tree) -> Done:
            """Up."""
            return Done()


class Tree(Arguments):
    """Recursive."""

    children: "list[Tree]" = Field(default_factory=list)


def test_a_function_that_is_not_async_is_no_tool() -> None:
    with pytest.raises(TypeError, match="async"):

        @tool("walk", family="travel", effect=Effect.PURE)  # type: ignore[arg-type]
        def walk(args: Visit) -> Done:
            """Walk."""
            return Done()


def test_a_tool_without_a_docstring_is_refused() -> None:
    with pytest.raises(TypeError, match="docstring"):

        @tool("walk", family="travel", effect=Effect.PURE)
        async def walk(args: Visit) -> Done:
            return Done()


def test_arguments_must_be_of_the_strict_model() -> None:
    class Loose(BaseModel):
        """Takes anything."""

    with pytest.raises(TypeError, match="arguments first"):

        @tool("walk", family="travel", effect=Effect.PURE)  # type: ignore[type-var]
        async def walk(args: Loose) -> Done:
            """Walk."""
            return Done()


def test_a_tool_pauses_where_it_returns_nothing_else_and_never_without_it() -> None:
    with pytest.raises(TypeError, match="pauses"):

        @tool("ask", family="travel", effect=Effect.PURE)
        async def ask(args: Visit) -> Pause:
            """Ask."""
            return Pause(show={})

    with pytest.raises(TypeError, match="pauses"):

        @tool("ask", family="travel", effect=Effect.PURE, pauses=True)
        async def answer(args: Visit) -> Done:
            """Answer."""
            return Done()

    @tool("ask", family="travel", effect=Effect.PURE, pauses=True)
    async def either(args: Visit) -> Done | Pause:
        """Ask, or know."""
        return Done()

    @tool("ask", family="travel", effect=Effect.PURE)
    async def in_the_middle(args: Visit) -> Done | Pause:
        """Go on with the answer."""
        return Done()

    assert (either.spec.pauses, in_the_middle.spec.pauses) == (True, False)


@pytest.mark.parametrize("name", ["", "1walk", "walk.on", "walk-on", "w" * 65])
def test_a_name_that_no_model_could_call_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match="name"):
        tool(name, family="travel", effect=Effect.PURE)


class Town(BaseModel):
    city: str
    """Where it is.

    In any language."""


class Stay(Arguments):
    place: Town
    nights: Annotated[int, Field(description="How many nights.")]
    """This is for whoever reads the code."""
    alone: bool = False
    """Whether nobody comes along."""
    plain: str = ""


def test_a_string_below_a_field_describes_it_unless_something_else_does() -> None:
    found: Any = parameters_schema(Stay)["properties"]
    assert found["alone"]["description"] == "Whether nobody comes along."
    assert found["nights"]["description"] == "How many nights."
    assert found["place"]["properties"]["city"]["description"] == "Where it is.\n\nIn any language."
    assert "description" not in found["plain"]
