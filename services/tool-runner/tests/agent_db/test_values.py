"""Values between JSON and SQLite."""

import pytest

from agent_contracts.errors import Rejected
from tool_runner.agent_db.values import to_json, to_sql


@pytest.mark.parametrize(
    ("json", "sql"),
    [
        (None, None),
        (True, 1),
        (False, 0),
        (0, 0),
        (2**53 + 1, 2**53 + 1),
        (-(2**63), -(2**63)),
        (2**63 - 1, 2**63 - 1),
        (1.5, 1.5),
        ("", ""),
        ("ä\r\n🙂", "ä\r\n🙂"),
        ({"$base64": ""}, b""),
        ({"$base64": "AP8="}, b"\x00\xff"),
    ],
)
def test_a_parameter_is_taken_as_it_is(json: object, sql: object) -> None:
    (taken,) = to_sql([json])
    assert (taken, type(taken)) == (sql, type(sql))


@pytest.mark.parametrize(
    ("json", "path"),
    [
        (2**63, "/params/1"),
        (-(2**63) - 1, "/params/1"),
        ([], "/params/1"),
        ({}, "/params/1"),
        ({"a": 1}, "/params/1"),
        ({"$base64": 5}, "/params/1"),
        ({"$base64": "AP8=", "more": 1}, "/params/1"),
        ({"$base64": "AP8"}, "/params/1/$base64"),
        ({"$base64": "A P8="}, "/params/1/$base64"),
    ],
)
def test_a_parameter_that_is_no_sql_value_is_refused_by_its_place(json: object, path: str) -> None:
    with pytest.raises(Rejected) as refused:
        to_sql(["fine", json])
    assert (refused.value.kind, refused.value.path) == ("invalid_arguments", path)


@pytest.mark.parametrize(
    ("sql", "json"),
    [
        (None, None),
        (7, 7),
        (2**53, 2**53),
        (-(2**53), -(2**53)),
        (2**53 + 1, "9007199254740993"),
        (-(2**63), "-9223372036854775808"),
        (0.1, 0.1),
        (float("inf"), None),
        (float("-inf"), None),
        (float("nan"), None),
        ("text", "text"),
        (b"", {"$base64": ""}),
        (b"\x00\xff", {"$base64": "AP8="}),
    ],
)
def test_a_value_comes_back_so_that_any_reader_of_json_has_it_exactly(sql: object, json: object) -> None:
    assert to_json(sql) == json  # type: ignore[arg-type]
