"""Values are bound to their agent and name, and a process that may read secrets keeps all of them out of
texts, also those that it never used itself."""

import pytest
from pydantic import SecretStr

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault, secrets_known
from agent_platform.log.bucket import Bucket
from agent_platform.secrecy.known_secrets import KNOWN, MASK
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.memory_log import MemoryLog

AGENT, OTHER = AgentId("default"), AgentId("other")
VALUE = "a-value-of-a-secret-7"


def vault_in(bucket: Bucket) -> Vault:
    """A vault with a key of its own."""
    return Vault(bucket, SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key()))))


@pytest.mark.parametrize("moved_to", [(OTHER, "KEY"), (AGENT, "KEY_2")])
async def test_a_value_that_is_moved_to_another_agent_or_name_cannot_be_read(
    moved_to: tuple[AgentId, str],
) -> None:
    bucket = Bucket(MemoryLog(), "secrets")
    vault = vault_in(bucket)
    with KNOWN.no_longer():
        await vault.put(AGENT, "KEY", VALUE)
        entry = await bucket.get(f"{AGENT}.KEY")
        assert entry is not None
        agent, name = moved_to
        await bucket.put(f"{agent}.{name}", entry.value)
        assert await vault.get(AGENT, "KEY") == VALUE
        with pytest.raises(Rejected) as refused:
            await vault.get(agent, name)
        assert refused.value.kind == "no_secrets_key"
        sealed = vault.sealed(AGENT, "KEY", VALUE)
        assert vault.opened(AGENT, "KEY", sealed) == VALUE
        with pytest.raises(Rejected):
            vault.opened(agent, name, sealed)


async def test_with_another_key_nothing_can_be_read_and_what_was_deleted_is_gone() -> None:
    bucket = Bucket(MemoryLog(), "secrets")
    vault = vault_in(bucket)
    with KNOWN.no_longer():
        await vault.put(AGENT, "KEY", VALUE)
        entry = await bucket.get(f"{AGENT}.KEY")
        assert entry is not None
        assert VALUE.encode() not in entry.value
        with pytest.raises(Rejected, match="encrypted with another key"):
            await vault_in(bucket).get(AGENT, "KEY")
        await vault.delete(AGENT, "KEY")
        with pytest.raises(Rejected) as gone:
            await vault.get(AGENT, "KEY")
        assert gone.value.kind == "not_found"


async def test_secrets_of_before_and_of_later_are_known() -> None:
    vault = vault_in(Bucket(MemoryLog(), "secrets"))
    with KNOWN.no_longer():  # in another process
        await vault.put(AGENT, "BEFORE", "an-earlier-value-1")
    assert KNOWN.text("an-earlier-value-1") == "an-earlier-value-1"
    async with secrets_known(vault):
        await eventually(lambda: _known("an-earlier-value-1"))
        with KNOWN.no_longer():
            await vault.put(AGENT, "LATER", "a-later-value-22")
            KNOWN.learn("an-earlier-value-1")
        await eventually(lambda: _known("a-later-value-22"))


async def _known(value: str) -> bool | None:
    return KNOWN.text(value) == MASK or None
