"""Kept logins: sealed, bound to agent and site, and bounded."""

import msgspec
import pytest
from pydantic import SecretStr

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import SITE_LOGINS_BUCKET, site_logins_key
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.site_logins.site_logins import LARGEST, MOST_SITES, SiteLogins
from agent_domain.site_logins.sites import StorageState
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from agent_platform.secrecy.known_secrets import KNOWN
from foldline_testing.agent_platform.memory_log import MemoryLog

AGENT, OTHER, SESSION = AgentId("shopper"), AgentId("other"), SessionId("s_1")
COOKIE = "cookie-value-12345678"


def cookies(*hosts: str, value: str = COOKIE) -> StorageState:
    return StorageState(tuple({"name": "sid", "value": value, "domain": one, "path": "/"} for one in hosts))


def logins_in(bucket: Bucket) -> SiteLogins:
    """With a key of their own."""
    return SiteLogins(bucket, SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key()))), SystemClock())


async def test_a_login_is_sealed_for_one_agent_and_one_site() -> None:
    bucket = Bucket(MemoryLog(), SITE_LOGINS_BUCKET)
    logins = logins_in(bucket)
    with KNOWN.no_longer():
        assert await logins.keep(AGENT, SESSION, cookies("shop.test"), ["shop.test"]) == ("shop.test",)
        assert await logins.of(AGENT) == cookies("shop.test")
        assert await logins.of(OTHER) == StorageState()
        ((key, entry),) = (await bucket.below(site_logins_key(AGENT))).items()
        assert COOKIE.encode() not in entry.value
        await bucket.put(key.replace(AGENT, OTHER), entry.value)
        with pytest.raises(Rejected, match="another key"):
            await logins.of(OTHER)
        renamed = msgspec.msgpack.encode({**msgspec.msgpack.decode(entry.value), "site": "bank.test"})
        await bucket.put(key, renamed)
        with pytest.raises(Rejected, match="another key"):
            await logins.of(AGENT)
        await bucket.put(key, entry.value)
        with pytest.raises(Rejected, match="another key"):
            await logins_in(bucket).of(AGENT)


async def test_more_sites_or_larger_ones_than_are_kept_are_refused_and_change_nothing() -> None:
    bucket = Bucket(MemoryLog(), SITE_LOGINS_BUCKET)
    logins, hosts = logins_in(bucket), [f"site{number}.test" for number in range(MOST_SITES)]
    with KNOWN.no_longer():
        await logins.keep(AGENT, SESSION, cookies(*hosts), hosts)
        for state, host, kind in (
            (cookies("one-more.test"), "one-more.test", "too_many"),
            (cookies(hosts[0], value="x" * LARGEST), hosts[0], "too_large"),
            (StorageState(), hosts[0], "nothing_to_keep"),
        ):
            with pytest.raises(Rejected) as refused:
                await logins.keep(AGENT, SESSION, state, [host])
            assert refused.value.kind == kind
        assert [one.site for one in await logins.list(AGENT)] == sorted(hosts)
        state = await logins.of(AGENT)
        assert sorted(str(one["domain"]) for one in state.cookies) == sorted(hosts)
        assert {one["value"] for one in state.cookies} == {COOKIE}


async def test_one_login_is_forgotten_or_all_of_an_agent_and_none_of_another() -> None:
    logins = logins_in(Bucket(MemoryLog(), SITE_LOGINS_BUCKET))
    with KNOWN.no_longer():
        for agent in (AGENT, OTHER):
            await logins.keep(agent, SESSION, cookies("a.test", "b.test"), ["a.test", "b.test"])
        assert await logins.forget(AGENT, "a.test")
        assert not await logins.forget(AGENT, "a.test")
        assert [one.site for one in await logins.list(AGENT)] == ["b.test"]
        await logins.forget_all(AGENT)
        assert await logins.list(AGENT) == []
        assert [one.site for one in await logins.list(OTHER)] == ["a.test", "b.test"]
