"""What a model is told of arguments that don't fit."""

from typing import Annotated, Any

import msgspec
import pytest
from pydantic import Field

from agent_contracts.errors import ErrorKind
from agent_contracts.tool_spec import Effect
from agent_tools.tool import Arguments, Result, SchemaArguments, tool
from agent_tools.validation import InvalidArguments, parse_arguments, pointer_to


class Row(Arguments):
    """One row."""

    cells: list[int | str]


class Table(Arguments):
    """Many rows."""

    name: str
    rows: list[Row] = Field(default_factory=list)
    extra: Annotated[dict[str, Row] | list[int] | None, Field(description="…")] = None
    a_ratio: float = 1.0


class Done(Result):
    """Nothing."""


@tool("tabulate", family="tables", effect=Effect.PURE)
async def tabulate(args: Table) -> Done:
    """Tabulate."""
    return Done()


def test_fitting_arguments_become_the_model() -> None:
    assert parse_arguments(tabulate, {"name": "t", "rows": [{"cells": [1, "b"]}], "a_ratio": 2}) == Table(
        name="t", rows=[Row(cells=[1, "b"])], a_ratio=2
    )


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        ({}, "/name", "required"),
        ({"name": 1}, "/name", "string"),
        ({"name": "t", "rows": [{"cells": []}, {}]}, "/rows/1/cells", "required"),
        ({"name": "t", "rows": [{"cells": [1, None]}]}, "/rows/0/cells/1", "valid"),
        ({"name": "t", "nmae": "t"}, "/nmae", "not permitted"),
        ({"name": "t", "a/b~c": 1}, "/a~1b~0c", "not permitted"),
        ({"name": "t", "extra": {"x": {}}}, "/extra/x/cells", "required"),
        ({"name": "t", "extra": ["x"]}, "/extra", "valid"),
        ({"name": "t", "a_ratio": "2"}, "/a_ratio", "number"),
    ],
)
def test_the_error_points_at_the_first_argument_at_fault(
    arguments: dict[str, Any], path: str, words: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments(tabulate, arguments)
    assert caught.value.error.kind is ErrorKind.INVALID_ARGUMENTS
    assert caught.value.error.path == path
    assert words in caught.value.error.message
    assert not caught.value.error.retryable


def test_text_is_never_taken_for_a_number_nor_a_number_for_text() -> None:
    with pytest.raises(InvalidArguments):
        parse_arguments(tabulate, {"name": 5})
    with pytest.raises(InvalidArguments):
        parse_arguments(tabulate, {"name": "t", "rows": [{"cells": [True]}]})


def test_a_lone_surrogate_is_an_invalid_argument_and_no_crash() -> None:
    with pytest.raises(InvalidArguments, match="surrogate"):
        parse_arguments(tabulate, {"name": "\ud800"})


def test_many_problems_are_told_in_one_short_message() -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments(tabulate, {"name": "t", "rows": [{"cells": None}] * 40})
    assert "and 35 more" in caught.value.error.message


def test_a_pointer_leaves_out_steps_that_are_not_in_the_document() -> None:
    assert pointer_to({"a": {"b": 1}}, ("a", "dict[str,int]", "b", "int")) == "/a/b"


@pytest.mark.parametrize("form", ["3.0", "3e0", "0.3e1", "30E-1", "3"])
def test_a_whole_number_may_be_written_in_any_form_of_json(form: str) -> None:
    cells, extra = f'[{{"cells": [{form}, "3.0"]}}]', f"[{form}]"
    arguments = msgspec.json.decode(f'{{"name": "t", "rows": {cells}, "extra": {extra}, "a_ratio": {form}}}')
    parsed = parse_arguments(tabulate, arguments)
    assert parsed == Table(name="t", rows=[Row(cells=[3, "3.0"])], extra=[3], a_ratio=3.0)


@pytest.mark.parametrize("form", ["3.5", "1e400", "1e300", "true", '"3.0"'])
def test_what_is_no_whole_number_is_refused_still(form: str) -> None:
    try:
        arguments = msgspec.json.decode(f'{{"name": "t", "extra": [{form}]}}')
    except msgspec.DecodeError:
        return  # no number of JSON that anybody reads
    with pytest.raises(InvalidArguments, match="/extra"):
        parse_arguments(tabulate, arguments)


def test_the_whole_numbers_of_an_own_tool_are_whole_at_any_depth() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"deep": {"items": {"type": "integer"}}}}
    own = msgspec.structs.replace(tabulate, arguments=SchemaArguments(schema))
    parsed = parse_arguments(own, {"deep": [2.0, 1e2], "ratio": 0.5})
    assert repr(parsed) == "{'deep': [2, 100], 'ratio': 0.5}"
