"""An authorization server at an address of this machine, in a thread: as strict as the best, and it lies on
request. It gives tokens for whatever `resource` it is asked for, and takes a refresh token once."""

import base64
import hashlib
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import anyio
import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from foldline_testing.mcp_host.listening import listening


@dataclass
class Authority:
    """Where it is, what it was asked (`asked` paths, `forms` where tokens are given), and how it is."""

    port: int
    life_s: int = 3600
    """Seconds that a token counts."""
    says: dict[str, Any] = field(default_factory=dict)
    """Of its metadata, instead of what is true; None leaves a member out."""
    padding: int = 0
    """Bytes that its metadata is longer."""
    moved: str = ""
    """Where its metadata is said to be, by a redirect."""
    answers_as: str | None = ""
    """The issuer that comes back with the person; empty: the true one, None: none."""
    slow_s: float = 0.0
    """Seconds that a refresh takes."""
    asked: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    shown: list[bytes] = field(default_factory=list)
    """By whom tokens were asked for in a header."""
    registered: list[dict[str, Any]] = field(default_factory=list)
    programs: dict[str, str] = field(default_factory=dict)
    """The secrets of clients that log in by themselves."""
    reused: int = 0
    """How often a refresh token came twice, which ends its login."""
    revoked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._codes: dict[str, dict[str, str]] = {}
        self._tokens: dict[str, tuple[str, str, float]] = {}
        self._refresh: dict[str, tuple[str, str]] = {}
        self._used: set[str] = set()

    @property
    def issuer(self) -> str:
        """Its name, which is its address."""
        return f"http://127.0.0.1:{self.port}"

    def admits(self, token: str, resource: str) -> bool:
        """Whether a server at `resource` may take this token."""
        family, of, ends = self._tokens.get(token, ("", "", 0.0))
        return of == resource and family not in self.revoked and time.monotonic() < ends

    def scope_of(self, token: str) -> str:
        """What it allows."""
        return self._tokens[token][0].partition("|")[2]

    def end_all(self) -> None:
        """All logins are over."""
        self.revoked |= {family for family, _ in self._refresh.values()}

    def expire(self) -> None:
        """All tokens are over, and can be made new."""
        self._tokens.clear()

    async def metadata(self, request: Request) -> Response:
        """RFC 8414."""
        self._note(request)
        if self.moved:
            return RedirectResponse(self.moved)
        found = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": self.answers_as is not None,
            **self.says,
            "padding": "x" * self.padding,
        }
        return JSONResponse({name: value for name, value in found.items() if value is not None})

    async def register(self, request: Request) -> Response:
        """RFC 7591."""
        self._note(request)
        wanted = await request.json()
        client = {**wanted, "client_id": secrets.token_hex(8), "token_endpoint_auth_method": "none"}
        self.registered.append(client)
        return JSONResponse(client, status_code=201)

    async def authorize(self, request: Request) -> Response:
        """The person says yes at once."""
        self._note(request)
        given = dict(request.query_params)
        known = {one["client_id"]: one["redirect_uris"] for one in self.registered}
        redirects = known.get(given["client_id"])
        if redirects is None and given["client_id"].startswith("https://"):
            redirects = [given["redirect_uri"]]
        if redirects is None or given["redirect_uri"] not in redirects:
            return JSONResponse({"error": "invalid_client"}, status_code=400)
        code = secrets.token_hex(16)
        self._codes[code] = given
        back = {"code": code, "state": given["state"]}
        if self.answers_as is not None:
            back["iss"] = self.answers_as or self.issuer
        return RedirectResponse(f"{given['redirect_uri']}?{urlencode(back)}", status_code=302)

    async def token(self, request: Request) -> Response:
        """A code, or a refresh token, once."""
        self._note(request)
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        self.forms.append(form)
        if basic := request.headers.get("authorization", "").removeprefix("Basic "):
            self.shown.append(base64.b64decode(basic))
        if form["grant_type"] == "client_credentials":
            if self.shown[-1:] not in [[f"{name}:{one}".encode()] for name, one in self.programs.items()]:
                return JSONResponse({"error": "invalid_client"}, status_code=401)
            return self._given(f"{secrets.token_hex(8)}|", form["resource"], refresh=False)
        if form["grant_type"] == "refresh_token":
            await anyio.sleep(self.slow_s)  # sleeps: work
            return self._refreshed(form)
        code = self._codes.pop(form["code"], None)
        if code is None or form["redirect_uri"] != code["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if proof != code["code_challenge"] or form.get("resource") != code["resource"]:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        return self._given(f"{secrets.token_hex(8)}|{code.get('scope', '')}", code["resource"])

    def _refreshed(self, form: dict[str, str]) -> Response:
        family, resource = self._refresh.get(form["refresh_token"], ("", ""))
        if form["refresh_token"] in self._used:
            self.reused += 1
            self.revoked.add(family)
        if not family or family in self.revoked or form.get("resource") != resource:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        self._used.add(form["refresh_token"])
        return self._given(family, resource)

    def _given(self, family: str, resource: str, *, refresh: bool = True) -> Response:
        token, next_one = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        self._tokens[token] = (family, resource, time.monotonic() + self.life_s)
        given = {"access_token": token, "token_type": "Bearer", "expires_in": self.life_s}
        if not refresh:
            return JSONResponse(given)
        self._refresh[next_one] = (family, resource)
        return JSONResponse({**given, "refresh_token": next_one})

    async def revoke(self, request: Request) -> Response:
        """RFC 7009."""
        self._note(request)
        token = parse_qs((await request.body()).decode())["token"][0]
        family = self._refresh.get(token, ("", ""))[0] or self._tokens.get(token, ("", "", 0))[0]
        self.revoked.add(family)
        return Response()

    def _note(self, request: Request) -> None:
        self.asked.append(request.url.path)


@contextmanager
def authority() -> Iterator[Authority]:
    """The running server."""
    with listening() as (socket, port):
        here = Authority(port)
        routes = [
            Route("/.well-known/oauth-authorization-server", here.metadata),
            Route("/register", here.register, methods=["POST"]),
            Route("/authorize", here.authorize),
            Route("/token", here.token, methods=["POST"]),
            Route("/revoke", here.revoke, methods=["POST"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), log_level="critical", timeout_graceful_shutdown=0)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            while not running.started and thread.is_alive():
                time.sleep(0.01)
            yield here
        finally:
            running.should_exit = True
            thread.join()


async def logged_in(url: str) -> dict[str, str]:
    """What a person brings back who opens this address and says yes."""
    async with httpx2.AsyncClient(trust_env=False) as browser:
        answer = await browser.get(url)
    assert answer.status_code == 302, answer.text
    back = parse_qs(urlsplit(answer.headers["location"]).query)
    return {name: values[0] for name, values in back.items()}
