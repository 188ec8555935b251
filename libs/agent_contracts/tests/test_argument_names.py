"""Names of arguments as models can be sent them, and the server's own on the wire."""

from typing import Any

import pytest

from agent_contracts.argument_names import PROPERTY_NAME, for_models, for_server

ODD = [
    *("uids[]", "$filter", "first name", "名前", "x" * 80, "имя", "é", "a/b", "@type", "", " ", "🙂", "a\nb"),
    *("a:b", "a b", "a.b[]", "-", "_", "x" * 64, "x" * 65, "filter[name]", "#", "Größe", "ﬁ", "naïve name"),
]


def an_object(*names: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, **more}


def names_in(schema: dict[str, Any]) -> list[str]:
    return list(schema["properties"])


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_becomes_a_safe_one_and_comes_back(name: str) -> None:
    schema = an_object(name, "plain", required=[name])
    shown: Any = for_models(schema)
    (safe, plain) = names_in(shown)
    assert PROPERTY_NAME.fullmatch(safe)
    assert (plain, shown["required"]) == ("plain", [safe])
    assert for_server(schema, {safe: "a", "plain": "b"}) == {name: "a", "plain": "b"}
    if safe != name:
        assert repr(name) in shown["properties"][safe]["description"]


def test_names_read_as_before_where_they_can() -> None:
    shown: Any = for_models(an_object("uids[]", "$filter", "first name", "@type", "é"))
    assert names_in(shown) == ["uids", "filter", "first_name", "type", "e"]


@pytest.mark.parametrize(
    "names",
    [
        ("filter", "$filter"),
        ("$filter", "@filter", "#filter"),
        ("first name", "first_name", "first  name"),
        ("名前", "住所", "電話"),
        ("x" * 80, "x" * 81, "x" * 82),
        ("argument", "🙂"),
        (*ODD,),
    ],
)
def test_names_that_would_be_alike_stay_apart_in_any_order(names: tuple[str, ...]) -> None:
    one: Any = for_models(an_object(*names))
    other: Any = for_models(an_object(*reversed(names)))
    assert len(set(names_in(one))) == len(names)
    assert names_in(one) == names_in(other)[::-1], "the order says nothing"
    assert all(PROPERTY_NAME.fullmatch(name) for name in names_in(one))
    assert {name for name in names if PROPERTY_NAME.fullmatch(name)} <= set(names_in(one))
    given = dict(zip(names_in(one), names, strict=True))
    assert for_server(an_object(*names), given) == {name: name for name in names}


def test_names_at_any_depth_are_safe_and_values_that_are_no_names_stay() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "$where": an_object("or[]", default={"or[]": "x", "or": "y"}, required=["or[]"]),
            "list": {"type": "array", "items": an_object("名前")},
            "either": {"anyOf": [an_object("a b"), {"type": "array", "items": an_object("c d")}]},
            "map": {"type": "object", "additionalProperties": an_object("e f")},
            "free": {"type": "object"},
        },
    }
    shown: Any = for_models(schema)
    where = shown["properties"]["where"]
    name = next(iter(shown["properties"]["list"]["items"]["properties"]))
    assert (names_in(where), where["required"], where["default"]) == (["or"], ["or"], {"or": "y"})
    given: dict[str, Any] = {
        "where": {"or": "1"},
        "list": [{name: "2", "or": "kept"}],
        "either": [{"c_d": "3"}],
        "map": {"a b": {"e_f": "4"}, "or": {"e_f": "5"}},
        "free": {"where": "6", "or": [{"c_d": "7"}]},
    }
    assert for_server(schema, given) == {
        "$where": {"or[]": "1"},
        "list": [{"名前": "2", "or": "kept"}],
        "either": [{"c d": "3"}],
        "map": {"a b": {"e f": "4"}, "or": {"e f": "5"}},
        "free": {"where": "6", "or": [{"c_d": "7"}]},
    }
    assert for_server(schema, {**given, "either": {"a_b": "8"}})["either"] == {"a b": "8"}


def test_what_providers_take_stays_the_same_object() -> None:
    schema = an_object("a", "b.c", "d-e")
    assert for_models(schema) is schema
    assert for_server(schema, {"a": {"$x": 1}}) == {"a": {"$x": 1}}
