"""The examples of the OpenAPI document are calls of a running Foldline: all of them succeed, and what is sent
and answered fits its schema."""

from pathlib import Path

import pytest

from foldline_testing.product.api_examples.story import recorded
from gateway.http.openapi_examples import ApiExample, shipped


def form(example: ApiExample) -> tuple[object, ...]:
    """What of an example doesn't change from run to run."""
    body = example.body
    members = sorted(body) if isinstance(body, dict) else type(body)
    parameters = sorted(example.parameters), sorted(example.also)
    return *parameters, members, example.status, sorted(example.answers)


@pytest.mark.processes
@pytest.mark.timeout(600)
def test_every_operation_is_called_and_answers_as_described(tmp_path: Path) -> None:
    played = recorded(tmp_path)
    old = [name for name, example in shipped().items() if form(example) != form(played[name])]
    assert old == [], "the story calls these in another way than the document shows: make api-examples"
