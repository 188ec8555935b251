"""The way out of one call: all that it is told is from outside, and a probe only reads."""

import asyncio

import pytest
import structlog
from pydantic import SecretStr

from agent_contracts.entities.bisections import probe_agent_id
from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.ids import AgentId, CallId
from agent_contracts.log.subjects import SECRETS_BUCKET
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_tools.context import CallContext, CallSources
from agent_tools.running.call_writers import writers_of_page
from egress.fetching import FetchRequest
from egress.guard import Egress
from egress.rules import EgressRules
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.world import AGENT, SESSION, SOURCE
from foldline_testing.egress.web import FixedNames, answered, local_server
from tool_runner.agent.egress import EgressWithSecrets

ALLOWED = EgressRules(private_hosts=frozenset({"a.test"}))


class Leaving:
    """Requests in the name of one call of an agent."""

    def __init__(self, agent: AgentId = AGENT) -> None:
        self.outside = CallSources()
        call = CallContext(
            agent,
            SESSION,
            CallId("c1"),
            0,
            1,
            writers_of_page(CallId("c1"), 0, self.outside),
            asyncio.Event(),
            structlog.get_logger(),
            outside=self.outside,
        )
        key = SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
        vault = Vault(Bucket(MemoryLog(), SECRETS_BUCKET), key)
        entities = Entities(MemoryLog(), MovableClock(), SOURCE)
        egress = Egress(ALLOWED, FixedNames({"a.test": ["127.0.0.1"]}))
        self.egress = EgressWithSecrets(egress, entities, vault, call)

    @property
    def brought(self) -> list[tuple[str, str]]:
        return [(one.kind, one.name) for one in self.outside.brought]


async def test_what_a_server_answers_is_from_there_and_so_is_how_it_fails() -> None:
    async with local_server(lambda _: answered(b"hello")) as server:
        fine = Leaving()
        assert (await fine.egress.fetch(FetchRequest(server.url("a.test")))).body == b"hello"
    async with local_server(lambda _: b"") as server:
        broken = Leaving()
        with pytest.raises(Transient):
            await broken.egress.fetch(FetchRequest(server.url("a.test")))
    assert fine.brought == broken.brought == [("web", "a.test")]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_a_probe_of_a_bisection_only_reads(method: str) -> None:
    async with local_server(lambda _: answered(b"hello")) as server:
        probe = Leaving(probe_agent_id("b1"))
        for reads in ("GET", "HEAD", "get"):
            assert (await probe.egress.fetch(FetchRequest(server.url("a.test"), reads))).status == 200
        before = len(server.seen)
        with pytest.raises(Rejected) as refused:
            await probe.egress.fetch(FetchRequest(server.url("a.test"), method))
        assert (refused.value.kind, len(server.seen)) == (ErrorKind.BLOCKED, before)
        assert (await Leaving().egress.fetch(FetchRequest(server.url("a.test"), method))).status == 200
