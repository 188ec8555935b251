"""What `test_new_condition.py` runs beside copies of two packages that have one more condition, `language`.

Writes what it saw to the standard output, as JSON.
"""

import asyncio
import json
from typing import Any

import msgspec
from fastapi.exceptions import RequestValidationError
from starlette.requests import Request

from agent_contracts.api.policies import WritePolicy
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.policies import Policy
from agent_domain.policies.compiled_rules import is_about
from agent_domain.policies.judgement import InForce, judge
from agent_domain.policies.policy_request import named_in
from foldline_testing.gateway.in_memory import InMemory
from gateway.http.wire.struct_bodies import StructBody
from gateway.operations.idempotency import asked

RULES = [{"verdict": "deny", "match": {"language": "PY*"}}]


async def refusal(body: dict[str, Any]) -> str:
    """What the gateway says of a body."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    headers = [(b"content-type", b"application/json")]
    try:
        await StructBody(WritePolicy, optional=False).read(
            Request({"type": "http", "headers": headers}, receive)
        )
    except RequestValidationError as error:
        [flaw] = error.errors()
        return f"{'/'.join(map(str, flaw['loc']))}: {flaw['msg']}"
    return ""


async def seen() -> dict[str, Any]:
    policies = InMemory().operations.policies
    given = msgspec.convert({"preset": "free", "rules": RULES}, Policy)
    written = await policies.write(DEFAULT_AGENT, given, None, asked())
    [offered] = [one for one in written.conditions if one.name == "language"]
    in_force = InForce(Policy(written.preset, tuple(written.rules)))
    calls = {
        "python": named_in("run", {"language": "python"}),
        "js": named_in("run", {"language": "js"}),
        "none": named_in("run", {}),
    }
    match = written.rules[0].match
    return {
        "offered": {name: getattr(offered, name) for name in ("label", "help", "hint", "type")},
        "kept": msgspec.to_builtins(match),
        "judged": {name: judge(in_force, call).verdict for name, call in calls.items()},
        "refused": await refusal(
            {"preset": "free", "rules": [{"verdict": "deny", "match": {"language": 5}}]}
        ),
        "covers": {name: is_about(match, calls[name], False, allows=True) for name in ("python", "js")},
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(seen())))
