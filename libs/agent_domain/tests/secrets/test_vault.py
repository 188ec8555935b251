"""A process that may read secrets keeps all of them out of texts, also those that it never used itself."""

from pydantic import SecretStr

from agent_contracts.ids import AgentId
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault, secrets_known
from agent_platform.log.bucket import Bucket
from agent_platform.secrecy.known import KNOWN, MASK
from agent_platform.testing.eventually import eventually
from agent_platform.testing.memory_log import MemoryLog

AGENT = AgentId("default")


async def test_secrets_of_before_and_of_later_are_known() -> None:
    vault = Vault(
        Bucket(MemoryLog(), "secrets"), SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
    )
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
