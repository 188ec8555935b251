"""Every operation of the document has an example, and each fits. `make api-examples` records them anew."""

from functools import cache

import pytest

from foldline_testing.gateway.described import ApiDescription
from gateway.http.api import api
from gateway.http.openapi_document import document
from gateway.http.openapi_examples import ApiExample, shipped


@cache
def described() -> ApiDescription:
    """The document; made by those who ask, since it takes a second."""
    return ApiDescription(document(api()))


def test_every_operation_has_an_example_and_no_other_has() -> None:
    assert set(shipped()) == set(described().operations)


@pytest.mark.parametrize("name", sorted(shipped()))
def test_an_example_fits_what_the_document_says(name: str) -> None:
    assert described().misfits(name, shipped()[name]) == []


def test_every_parameter_has_an_example() -> None:
    missing = [
        (name, one)
        for name, operation in described().operations.items()
        for one in operation.parameters.keys() - (shipped()[name].also | shipped()[name].parameters).keys()
    ]
    assert missing == [("listStuck", "cursor")], "nothing gets stuck in a Foldline that works"


def test_the_document_has_them_where_they_belong() -> None:
    for name, operation in described().operations.items():
        example = shipped()[name]
        given = {one: shown["example"] for one, shown in operation.parameters.items() if "example" in shown}
        assert given == example.also | example.parameters, name
        sent = operation.described.get("requestBody", {}).get("content", {}).values()
        bodies = [one["value"] for content in sent for one in content.get("examples", {}).values()]
        assert bodies == ([] if example.body is None else [example.body]), name
        [answer] = operation.described["responses"][example.status]["content"].values()
        assert {one: shown["value"] for one, shown in answer["examples"].items()} == example.answers, name


def test_an_example_that_fits_no_more_is_seen() -> None:
    created = shipped()["createAgent"]
    answer = created.answers["example"]
    wrong = {
        "a parameter": ApiExample({"limit": 1}, "201", created.answers, created.body),
        "a member of the body": ApiExample({}, "201", created.answers, {**created.body, "nam": "x"}),
        "no body": ApiExample({}, "201", created.answers),
        "a status": ApiExample({}, "200", created.answers, created.body),
        "a type": ApiExample({}, "201", {"example": {**answer, "version": "1"}}, created.body),
        "a member of the answer": ApiExample({}, "201", {"example": {**answer, "age": 1}}, created.body),
    }
    assert [what for what, example in wrong.items() if not described().misfits("createAgent", example)] == []
    assert described().misfits("getAgent", ApiExample({}, "200", shipped()["getAgent"].answers)) != []
