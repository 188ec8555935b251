"""What a server said of a login is kept with that login, and with no later one."""

from typing import cast

import httpx2
import msgspec
import pytest

from agent_platform.process.clock import SystemClock
from foldline_testing.agent_tools.world import AGENT
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.bearer import Bearer
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.records import McpLogin
from mcp_host.login.token_refresher import TokenRefresher

URL = "https://far.test/mcp"
LOGIN = McpLogin(URL, "https://who.test", URL, "https://who.test/token", "{}", access_token="first")


class OneLogin:
    """`LoginVault` of one server."""

    def __init__(self) -> None:
        self.login = LOGIN
        self.revision = 1

    async def find(self, key: ServerKey, url: str) -> tuple[McpLogin | None, int]:
        return self.login, self.revision

    async def put(self, key: ServerKey, login: McpLogin, expect: int | None = None) -> bool:
        assert expect == self.revision
        self.login, self.revision = login, self.revision + 1
        return True


async def refused(kept: OneLogin, asked_for: str, *, meanwhile: str | None = None) -> McpLogin:
    """A request that the server answers by 403, asking for a scope; the login that is kept afterwards."""
    bearer = Bearer(
        ServerKey(AGENT, "far"),
        URL,
        cast("WayOut", None),
        cast("LoginVault", kept),
        cast("TokenRefresher", None),
        SystemClock(),
    )
    flow = bearer.async_auth_flow(httpx2.Request("POST", URL))
    sent = await anext(flow)
    assert sent.headers["authorization"] == "Bearer first"
    if meanwhile is not None:
        kept.login = msgspec.structs.replace(LOGIN, access_token=meanwhile)
    answer = httpx2.Response(403, headers={"WWW-Authenticate": asked_for}, request=sent)
    with pytest.raises(StopAsyncIteration):
        await flow.asend(answer)
    return kept.login


MORE = 'Bearer error="insufficient_scope", scope="notes:write"'


async def test_the_scope_that_was_missing_is_kept_for_the_next_login() -> None:
    assert await refused(OneLogin(), MORE) == msgspec.structs.replace(LOGIN, wants="notes:write")


async def test_a_login_that_was_made_new_meanwhile_is_left_as_it_is() -> None:
    """What was missing was missing to the one before."""
    kept = OneLogin()
    assert (await refused(kept, MORE, meanwhile="second")).wants == ""
    assert kept.revision == 1


@pytest.mark.parametrize("said", ["Bearer", 'Bearer error="invalid_token", scope="notes:write"', ""])
async def test_what_is_refused_for_another_reason_changes_nothing(said: str) -> None:
    kept = OneLogin()
    assert await refused(kept, said) == LOGIN
    assert kept.revision == 1


async def test_a_scope_of_any_length_is_cut() -> None:
    long = await refused(OneLogin(), f'Bearer error="insufficient_scope", scope="{"x" * 5_000}"')
    assert len(long.wants) == 2_000
