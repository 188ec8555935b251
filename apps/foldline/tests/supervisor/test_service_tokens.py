"""A service that people added gets a token for what it declares, and no other."""

from collections.abc import Sequence

from agent_contracts.api.program_tokens import ProgramRight
from agent_domain.tokens.programs import ProgramToken, ProgramTokenRegister
from agent_domain.tokens.register import hash_of
from agent_platform.log.bucket import Bucket
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.reaction import reacting_service
from foldline.supervisor.service_tokens import service_tokens
from foldline_testing.agent_platform.memory_log import MemoryLog

READ = (ProgramRight.READ,)


def services(*names: str, may: Sequence[ProgramRight] = READ) -> list[ServiceDeclaration]:
    return [reacting_service(name, f"{name}:serve", may=tuple(may)) for name in names]


async def test_each_start_makes_new_tokens_and_ends_those_of_the_start_before() -> None:
    register = ProgramTokenRegister(Bucket(MemoryLog(), "program-tokens"))
    first = await service_tokens(register, [*services("critic", "gone"), *services("mute", may=())])
    assert first.keys() == {"critic", "gone"}
    second = await service_tokens(register, services("critic"))
    found = await register.of_token(second["critic"])
    assert found is not None
    assert (found[1].rights, found[1].agent_id, found[1].service) == (READ, None, True)
    assert [await register.of_token(one) for one in first.values()] == [None, None]


async def test_a_persons_token_of_that_name_stays_and_the_service_gets_none() -> None:
    register = ProgramTokenRegister(Bucket(MemoryLog(), "program-tokens"))
    mine = ProgramToken("2026-01-01T00:00:00Z", hash_of("pt_critic_mine"), None, tuple(ProgramRight))
    await register.add("critic", mine)
    assert await service_tokens(register, services("critic")) == {}
    assert await register.of_token("pt_critic_mine") == ("critic", mine)
    await service_tokens(register, [])
    assert await register.of_token("pt_critic_mine") == ("critic", mine)
