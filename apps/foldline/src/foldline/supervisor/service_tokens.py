"""Tokens of the services that people added: each gets one for what it declares, anew at each start."""

import secrets
from collections.abc import Mapping, Sequence

import structlog

from agent_domain.tokens.programs import PROGRAM_TOKEN, ProgramToken, ProgramTokenRegister
from agent_domain.tokens.register import SECRET_BYTES, hash_of, token_of
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.declaration import ServiceDeclaration

_log = structlog.get_logger()


async def service_tokens(
    register: ProgramTokenRegister, services: Sequence[ServiceDeclaration]
) -> Mapping[str, str]:
    """A new token for each service that declares rights, by the service's name; those of the start before
    end. A service whose name a person gave to a program gets none."""
    known = await register.all()
    wanted = {one.name: one for one in services if one.may and not one.is_ours}
    for name, one in known.items():
        if one.service and name not in wanted:
            await register.revoke(name)
    made = {}
    for name, service in wanted.items():
        if name in known and not known[name].service:
            _log.error("service_token.name_taken", service=name)
            continue
        made[name] = token = token_of(PROGRAM_TOKEN, name, secrets.token_urlsafe(SECRET_BYTES))
        now = rfc3339(SystemClock().now())
        await register.replace(
            name, ProgramToken(now, hash_of(token), None, tuple(service.may), service=True)
        )
    return made
