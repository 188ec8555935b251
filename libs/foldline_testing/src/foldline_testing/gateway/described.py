"""The gateway's OpenAPI document, as tests hold requests and answers to it."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from gateway.http.openapi_examples import ApiExample


@dataclass(frozen=True)
class DescribedOperation:
    """One operation of the document."""

    method: str
    path: str
    described: Mapping[str, Any]

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """Its parameters by name."""
        return {one["name"]: one for one in self.described.get("parameters", ())}

    @property
    def body(self) -> tuple[str, dict[str, Any]] | None:
        """Media type and schema of its body, the first where there are several; None: it takes none."""
        content = self.described.get("requestBody", {}).get("content", {})
        return next(((media_type, one["schema"]) for media_type, one in content.items()), None)

    def answer(self, status: str) -> tuple[str, dict[str, Any]]:
        """Media type and schema of its answer with this status. KeyError: none is described."""
        [(media_type, one)] = self.described["responses"][status]["content"].items()
        return media_type, one["schema"]


class ApiDescription:
    """Its operations by id, and whether examples fit it: a member that an object's schema doesn't name is a
    misfit, too, unless the schema says that there may be others."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.operations = {
            described["operationId"]: DescribedOperation(method.upper(), path, described)
            for path, methods in document["paths"].items()
            for method, described in methods.items()
        }
        self._components = copy.deepcopy(document["components"])
        for schema in self._components["schemas"].values():
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)

    def misfits(self, name: str, example: ApiExample) -> list[str]:
        """What of an operation's example doesn't fit its description, and why."""
        operation = self.operations[name]
        needed = {one for one, described in operation.parameters.items() if described.get("required")}
        found = [f"{one} is missing" for one in needed - set(example.parameters)]
        for one, value in {**example.also, **example.parameters}.items():
            described = operation.parameters.get(one)
            found += self._wrong(one, value, described["schema"]) if described else [f"{one} is unknown"]
        if example.body is not None:
            found += self._wrong("body", example.body, operation.body[1]) if operation.body else ["a body"]
        elif operation.described.get("requestBody", {}).get("required"):
            found.append("it needs a body")
        if example.status not in operation.described["responses"]:
            return [*found, f"it doesn't answer {example.status}"]
        _, schema = operation.answer(example.status)
        for one, value in example.answers.items():
            found += self._wrong(one, value, schema)
        return found

    def _wrong(self, what: str, value: Any, schema: Mapping[str, Any]) -> list[str]:
        whole = {**schema, "components": self._components}
        checked = Draft202012Validator(whole, format_checker=FormatChecker())
        return [f"{what}: {one}" for one in _told(checked.iter_errors(value))]


def _told(errors: Iterator[Any]) -> Iterator[str]:
    for error in errors:
        yield f"{error.json_path}: {error.message[:300]}"
        for inner in error.context:
            yield f"  {inner.json_path}: {inner.message[:300]}"
