"""The gateway, as the commands see it."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, BinaryIO, Self, TypeVar

import httpx
import msgspec
from httpx_sse import ServerSentEvent, connect_sse

from agent_contracts.api.operating import STORAGE_CHECK, Health
from agent_contracts.errors import Rejected, Transient
from agent_contracts.sessions.session_file import MEDIA_TYPE
from egress.foldline_api import problem_of
from egress.proxies.clients import gateway_client
from foldline.cli.output import warn
from foldline.settings import UpSettings, load
from foldline.supervisor.announcement import read_announcement
from foldline.unused_settings import mistyped

V = TypeVar("V", bound=msgspec.Struct)

_PATIENCE_S = 15.0
_TIMEOUT = httpx.Timeout(30, connect=5)
_MODELS = httpx.Timeout(1_500, connect=5)
_QUIET_S = 6.0
"""Who follows events and hears none for so long asks whether anything can be stored at all."""
_AGAIN_S = 1.0
_FILES = httpx.Timeout(30, connect=5, read=300)
"""What was sent is stored before it is answered."""


class Gateway:
    """HTTP requests with the token; every problem becomes a `Failure` in the gateway's own words."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token
        self.is_behind = False
        """Whether an answer was older than now; who reads it has been warned."""
        self._http = gateway_client(f"{url}/api/v1", {"Authorization": f"Bearer {token}"}, _TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._http.close()

    def get(self, path: str, **params: Any) -> Any:
        """A query; None among the parameters are left out."""
        return self._request("GET", path, params=_given(params))

    def read(self, path: str, view: type[V], **params: Any) -> V:
        """A query's answer, as the gateway describes it."""
        return msgspec.convert(self.get(path, **params), view)

    def every(self, path: str, *, cursor: str | None = None, **params: Any) -> Iterator[dict[str, Any]]:
        """All of a list that is answered in pages, asked for as they are taken; what comes after `cursor`."""
        while True:
            page = self.get(path, cursor=cursor, **params)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def metrics(self) -> str:
        """The numbers of all services, as Prometheus reads them."""
        return self._answer("GET", f"{self.url}/metrics").text

    def post(self, path: str, body: Any = None, idempotency_key: str | None = None) -> Any:
        """A command."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._request(
            "POST", path, json={} if body is None else msgspec.to_builtins(body), headers=headers
        )

    def ask_model(self, path: str, body: Any) -> Any:
        """A command that waits for several answers of a model."""
        return self._request("POST", path, json=body, timeout=_MODELS)

    def put(self, path: str, body: Any) -> Any:
        """A value from now on."""
        return self._request("PUT", path, json=msgspec.to_builtins(body))

    def patch(self, path: str, body: Any, idempotency_key: str | None = None) -> Any:
        """A part of a thing, as it is from now on."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._request("PATCH", path, json=msgspec.to_builtins(body), headers=headers)

    def delete(self, path: str, idempotency_key: str | None = None) -> Any:
        """No such thing from now on."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._request("DELETE", path, headers=headers)

    def download(self, path: str) -> bytes:
        """A file."""
        return self._answer("GET", path).content

    def upload(self, path: str, content: bytes, **params: Any) -> Any:
        """A file, as the body of a command; None among the parameters are left out."""
        headers = {"Content-Type": MEDIA_TYPE}
        return self._request("POST", path, content=content, headers=headers, params=_given(params))

    def send_files(self, files: Sequence[tuple[str, BinaryIO]], fields: dict[str, str]) -> Any:
        """Files by the names that they are to have, read as they are sent; what was stored."""
        parts = [("file", (name, file)) for name, file in files]
        return self._request("POST", "/files", files=parts, data=fields, timeout=_FILES)

    def pieces(self, path: str, **params: Any) -> Iterator[bytes]:
        """A file, as it comes. `Transient` where it ends too early."""
        try:
            with self._http.stream("GET", path, params=_given(params), timeout=_FILES) as answer:
                if not answer.is_success:
                    answer.read()
                    raise problem_of(answer)
                yield from answer.iter_bytes()
        except httpx.TransportError as error:
            raise Transient(
                f"The file did not come whole from {self.url} ({error}); nothing of it was kept. Try again"
            ) from error

    def follow(self, session_id: str, after: str, *, rows: bool = False) -> Iterator[ServerSentEvent]:
        """Live events of one session after an address, resumed when the connection breaks; if wanted with the
        rows that each changed. `Transient` where none can come: nothing can be stored."""
        while True:
            params = {"session_id": session_id, "after": after, "rows": rows}
            try:
                with connect_sse(
                    self._http, "GET", "/events", params=params, timeout=httpx.Timeout(5, read=_QUIET_S)
                ) as source:
                    if source.response.status_code != 200:
                        source.response.read()
                        raise problem_of(source.response)
                    for event in source.iter_sse():
                        if event.id:
                            after = event.id
                        yield event
            except httpx.ReadTimeout:
                self._refuse_if_nothing_can_be_stored()
            except httpx.TransportError:
                self.until_back()

    def _refuse_if_nothing_can_be_stored(self) -> None:
        problem = self._storage_problem()
        if problem is not None:
            time.sleep(_AGAIN_S)  # one look may only have been slow
            problem = self._storage_problem()
        if problem is not None:
            raise Transient(f"{problem}. A message that was accepted is safe", kind="storage")

    def _storage_problem(self) -> str | None:
        try:
            found = self._http.get(f"{self.url}/readyz")
            problem = msgspec.json.decode(found.content, type=Health).checks.get(STORAGE_CHECK, "ok")
        except httpx.TransportError:
            self.until_back()
            return None
        except msgspec.MsgspecError:  # a proxy's page
            return None
        return None if problem == "ok" else problem

    def until_back(self) -> None:
        """Wait while the gateway is being restarted; `Transient` if it stays away."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self.get("/sessions", limit=1)
                return
            except Transient:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def _request(self, method: str, path: str, **more: Any) -> Any:
        answer = self._answer(method, path, **more)
        return answer.json() if answer.content else None

    def _answer(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **more)
        except UnicodeEncodeError as error:
            raise Rejected("What you gave is not text in UTF-8: nothing was sent", kind="bad_text") from error
        except httpx.TransportError as error:
            raise Transient(
                f"No answer from {self.url} ({error}). What was stored is safe; whether this was done is not "
                "known. Start it by foldline up, or see foldline doctor, and look before you try again"
            ) from error
        if not answer.is_success:
            raise problem_of(answer)
        if answer.headers.get("Foldline-Behind", "0") != "0" and not self.is_behind:
            self.is_behind = True
            warn(_old(answer.headers))
        return answer


def _old(headers: httpx.Headers) -> str:
    as_of = headers.get("Foldline-As-Of")
    when = f"is as of {datetime.fromisoformat(as_of).astimezone():%H:%M:%S}" if as_of else "is old"
    return (
        f"What follows {when}: the lists lack the last {headers['Foldline-Behind']} events. What was "
        "stored is safe. foldline doctor says what is wrong"
    )


def _given(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


@contextmanager
def gateway() -> Iterator[Gateway]:
    """The gateway named by `FOLDLINE_URL` and `FOLDLINE_TOKEN`, else the data directory's."""
    everything = load()
    for line in mistyped(everything, os.environ):
        warn(line)
    settings = everything.of(UpSettings)
    running = read_announcement(settings.data_dir)
    url = os.environ.get("FOLDLINE_URL") or (running.url if running else None)
    token = settings.token.get_secret_value() if settings.token else (running.token if running else None)
    if url is None or token is None:
        raise Rejected(
            f"No Foldline is running on {settings.data_dir}. Try: foldline up "
            "(or set FOLDLINE_URL and FOLDLINE_TOKEN to reach another)",
            kind="not_running",
        )
    with Gateway(url.rstrip("/"), token) as client:
        yield client
