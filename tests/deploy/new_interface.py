"""What `test_new_interface.py` runs beside copies of two packages that have one more interface, `lines`.

Writes what it saw to the standard output, as JSON.
"""

import asyncio
import json
from typing import Any

import msgspec

from agent_contracts.thinking_choice import ThinkingChoice
from foldline_testing.egress.web import answered, local_server
from model_caller.answers.answer import AnswerEnding
from model_caller.calls.thinking_options import thinking_options
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.adapting.requests import sent_fields
from model_caller.providers.by_model import ByModel
from model_caller.providers.interfaces import INTERFACES
from model_caller.providers.offered_models import offered_models
from session_domain.model_requests.request import ModelRequest


def answer(request: str) -> bytes:
    if request.startswith("GET /known "):
        return answered(json.dumps({"lines": [{"id": "a"}, {"id": "b"}]}).encode())
    return answered(b"First line.\nSecond line.\n")


async def seen() -> dict[str, Any]:
    said: list[str] = []
    endings: list[str | None] = []
    request = ModelRequest("telegraph/fast", [{"role": "user", "content": "hello"}], [])
    async with local_server(answer) as server:
        target = ModelTarget("telegraph/fast", server.url("127.0.0.1", ""), "k-1")
        provider = ByModel(ModelCallLimits())
        async for piece in provider.stream(request, target):
            if isinstance(piece, AnswerEnding):
                endings.append(piece.finish_reason)
            else:
                said.append(piece.text)
        window = await provider.window(target)
        await provider.close()
        head, _, body = server.seen[-1].partition("\r\n\r\n")
        keys = [line.partition(": ")[2] for line in head.splitlines() if line.lower().startswith("x-key:")]
        models = await offered_models(target)
    interface = INTERFACES[target.interface]
    return {
        "answer": "".join(said),
        "finished": endings[-1],
        "window": window,
        "asked": [head.splitlines()[0], *keys, body],
        "models": models,
        "sent": sorted(sent_fields(msgspec.structs.replace(request, options={}), interface.sends)),
        "thinking": thinking_options(ThinkingChoice("low"), interface.thinking),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(seen())))
