"""When an issuer is asked for another token, and what its answer does to the login."""

from typing import cast

import httpx2
import msgspec
import pytest
from mcp.shared.auth import OAuthToken

from agent_contracts.errors import Transient
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.world import AGENT
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login import token_refresher
from mcp_host.login.careful_transport import CarefulTransport
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.records import McpLogin
from mcp_host.login.token_refresher import TokenRefresher, _new_token

URL = "https://far.test/mcp"
KEY = ServerKey(AGENT, "far")
CLIENT = '{"client_id": "c", "redirect_uris": ["http://127.0.0.1/back"]}'
USED = McpLogin(URL, "https://who.test", URL, "https://who.test/token", CLIENT, "", "first", "again")
NEWER = msgspec.structs.replace(USED, access_token="second", refresh_token="once more")


class Kept:
    """`LoginVault` of one server; another host's `newer` login is there from the second look on."""

    def __init__(self, newer: McpLogin | None = None) -> None:
        self.login: McpLogin = USED
        self._newer = newer
        self._looks = 0

    async def find(self, key: ServerKey, url: str) -> tuple[McpLogin | None, int]:
        self._looks += 1
        if self._looks == 2 and self._newer is not None:
            self.login = self._newer
        return self.login, 1

    async def put(self, key: ServerKey, login: McpLogin, expect: int | None = None) -> bool:
        self.login = login
        return True


class Issuer:
    """Gives another token each time, and counts how often it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, token: OAuthToken | None) -> None:
        self.asked = 0
        self._token = token
        monkeypatch.setattr(token_refresher, "ask", self.ask)

    async def ask(self, *_: object) -> OAuthToken | None:
        self.asked += 1
        return self._token


async def refreshed(kept: Kept) -> McpLogin | None:
    leases = Bucket(MemoryLog(), LEASES_BUCKET)
    asking = TokenRefresher(cast("LoginVault", kept), leases, SystemClock(), "me")
    return await asking.refreshed(KEY, cast("WayOut", None), USED)


async def test_a_token_that_another_host_got_meanwhile_is_taken_and_nobody_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lease was free again: a second use of the old refresh token would end the login as a theft."""
    issuer = Issuer(monkeypatch, None)
    assert await refreshed(Kept(NEWER)) == NEWER
    assert issuer.asked == 0


async def test_without_that_the_issuer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    issuer = Issuer(monkeypatch, OAuthToken(access_token="third", token_type="Bearer"))
    found = await refreshed(Kept())
    assert found is not None
    assert (found.access_token, issuer.asked) == ("third", 1)


async def test_a_login_that_the_issuer_ended_is_kept_without_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    Issuer(monkeypatch, None)
    kept = Kept()
    assert await refreshed(kept) is None
    assert (kept.login.access_token, kept.login.refresh_token) == ("", "")


NO_ERROR = cast("CarefulTransport", type("Sent", (), {"error": ""})())


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422, 499])
def test_a_refusal_ends_the_login(status: int) -> None:
    assert _new_token(httpx2.Response(status), NO_ERROR) is None


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 302])
def test_a_server_that_is_busy_broken_or_elsewhere_ends_nothing(status: int) -> None:
    with pytest.raises(Transient, match=f"HTTP {status}"):
        _new_token(httpx2.Response(status), NO_ERROR)
