"""Calls operations of a running Foldline as its OpenAPI document describes them, and keeps an example of
each."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import quote

import httpx
from httpx_sse import ServerSentEvent, connect_sse

from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.described import ApiDescription, DescribedOperation
from gateway.http.openapi_examples import ApiExample

_JSON, _FORM, _BYTES = "application/json", "multipart/form-data", "application/octet-stream"
_KEY = "Idempotency-Key"
_NUMBERS = ("sequence", "last_sequence")
_PATIENCE_S = 90.0


@dataclass
class ApiCaller:
    """Calls by operation id. Every answer must be a success, and fit its schema, as must what is sent.

    The first call of an operation is its example; each kind of message of the stream is one. What reads is
    called again then: for a page of one, for the page after it, and as of the newest event that any answer
    named. What takes an idempotency key is sent with one.
    """

    url: str
    token: str
    examples: dict[str, ApiExample] = field(default_factory=dict)
    _newest: int = 1
    _calls: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> Self:
        headers = {"Authorization": f"Bearer {self.token}"}
        self._http = httpx.Client(base_url=self.url, headers=headers, timeout=120, verify=NO_TLS)
        self.document = self._http.get("/api/openapi.json").raise_for_status().json()
        self.description = ApiDescription(self.document)
        return self

    def __exit__(self, *raised: object) -> None:
        self._http.close()

    def __call__(self, operation: str, body: Any = None, /, **parameters: Any) -> Any:
        """Call it; what it answered."""
        answer, example = self._called(operation, body, parameters)
        self._keep(operation, example)
        self._read_otherwise(operation, parameters)
        return answer

    def until(self, holds: Callable[[Any], Any], operation: str, /, **parameters: Any) -> Any:
        """Read until an answer is so: that one is the example."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            answer, example = self._called(operation, None, parameters)
            if holds(answer):
                self._keep(operation, example)
                self._read_otherwise(operation, parameters)
                return answer
            assert time.monotonic() < deadline, f"{operation} still answers {answer}"
            time.sleep(0.1)  # sleeps: poll

    def stream(
        self, meanwhile: Callable[[], object], over: Callable[[ServerSentEvent], bool], /, **parameters: Any
    ) -> None:
        """Listen to the live events until one ends it; the first of each kind is an example."""
        name = "streamEvents"
        self._keep(name, ApiExample(parameters, "200", {}))
        example = self.examples[name]
        path, query, _ = self._placed(name, parameters)
        with connect_sse(self._http, "GET", path, params=query) as source:
            source.response.raise_for_status()
            meanwhile()
            for event in source.iter_sse():
                if event.data:
                    self._check(name, ApiExample(parameters, "200", {event.event: event.json()}))
                    example.answers.setdefault(event.event, event.json())
                    if over(event):
                        break

    def _keep(self, name: str, example: ApiExample) -> None:
        first = self.examples.setdefault(name, example)
        for one, value in example.parameters.items():
            if one not in first.parameters:
                first.also.setdefault(one, value)

    def _read_otherwise(self, name: str, parameters: dict[str, Any]) -> None:
        operation, known = self.description.operations[name], self.examples[name]
        takes = operation.parameters if operation.method == "GET" else {}
        new = takes.keys() - parameters.keys() - known.parameters.keys() - known.also.keys()
        for one in {"min_sequence", "at"} & new:
            is_number = "integer" in json.dumps(takes[one]["schema"])
            self._read(name, {**parameters, one: self._newest if is_number else str(self._newest)})
        if {"limit", "cursor"} & new and "limit" in takes:
            of_one = {**parameters, "limit": 1}
            cursor = self._read(name, of_one).get("next_cursor")
            if cursor and "cursor" in takes:
                self._read(name, {**of_one, "cursor": cursor})

    def _read(self, name: str, parameters: dict[str, Any]) -> Any:
        answer, example = self._called(name, None, parameters)
        self._keep(name, example)
        return answer

    def _called(self, name: str, body: Any, parameters: dict[str, Any]) -> tuple[Any, ApiExample]:
        operation = self.description.operations[name]
        if _KEY in operation.parameters:
            self._calls[name] += 1
            parameters = {_KEY: f"{name}-{self._calls[name]}", **parameters}
        path, query, headers = self._placed(name, parameters)
        sent = self._sent(operation, body)
        headers |= sent.pop("headers", {})
        answer = self._http.request(operation.method, path, params=query, headers=headers, **sent)
        assert answer.is_success, f"{name} {path}: {answer.status_code} {answer.text}"
        media_type = answer.headers["content-type"].partition(";")[0]
        described, _ = operation.answer(str(answer.status_code))
        assert described in (media_type, _BYTES), f"{name} answers with {media_type}"
        value = answer.json() if described == _JSON else answer.text
        example = ApiExample(parameters, str(answer.status_code), {"example": value}, body)
        self._check(name, example)
        self._newest = max(self._newest, *_sequences(value), 0)
        return value, example

    def _placed(self, name: str, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any], dict[str, str]]:
        """Path, query and headers."""
        operation = self.description.operations[name]
        path, query, headers = operation.path, {}, {}
        for one, value in parameters.items():
            place = operation.parameters[one]["in"]
            if place == "path":
                path = path.replace(f"{{{one}}}", quote(str(value), safe=""))
            elif place == "query":
                query[one] = value
            else:
                headers[one] = str(value)
        return path, query, headers

    def _sent(self, operation: DescribedOperation, body: Any) -> dict[str, Any]:
        if body is None or operation.body is None:
            return {}
        media_type, _ = operation.body
        if media_type == _FORM:
            named = enumerate(body["file"], 1)
            files = [("file", (f"file-{number}.txt", text.encode())) for number, text in named]
            return {"files": files, "data": {key: one for key, one in body.items() if key != "file"}}
        content = json.dumps(body) if media_type.endswith("json") and not isinstance(body, str) else body
        return {"content": content, "headers": {"Content-Type": media_type}}

    def _check(self, name: str, example: ApiExample) -> None:
        misfits = self.description.misfits(name, example)
        assert not misfits, f"{name} isn't as described: {misfits[:10]}"


def _sequences(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        yield from (value[one] for one in _NUMBERS if isinstance(value.get(one), int))
        for inner in value.values():
            yield from _sequences(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _sequences(inner)
