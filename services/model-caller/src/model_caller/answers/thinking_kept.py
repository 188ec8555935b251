"""What is recorded of a model's thinking: no secret, and of a long one both ends."""

import msgspec

from agent_contracts.ids import AgentId
from agent_contracts.session_events.results import Thinking, Thought
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.storable_text import storable_text
from agent_platform.secrecy.known_secrets import KNOWN
from model_caller.answers.answer import ProviderAnswer

LARGEST = 32_000
"""Characters of thinking that an event holds: each reading of its session carries them."""
HEAD, TAIL = 20_000, 8_000
LEFT_OUT = "\n\n[…]\n\n"


class ThinkingTexts:
    """Keeps what models thought."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    async def keep(self, thinking: Thinking | None, owner: AgentId) -> Thinking | None:
        """The thinking as its event holds it. A long one is stored whole, without secrets, for its agent."""
        if thinking is None:
            return None
        text = KNOWN.text(storable_text(thinking.text))
        if len(text) <= LARGEST:
            return msgspec.structs.replace(thinking, text=text)
        blob = await self._blobs.put(text.encode(), "text/plain", owner=owner)
        return msgspec.structs.replace(thinking, text=text[:HEAD] + LEFT_OUT + text[-TAIL:], whole=blob)


def returnable(answer: ProviderAnswer) -> tuple[Thought, ...]:
    """What goes back of the thinking: of a whole answer, and signed blocks only with the calls that they led
    to. None holds a secret: that would be taken out of what is stored, and a changed block is refused."""
    if answer.ending.cut is not None:
        return ()
    wanted = (one for one in answer.thoughts if answer.calls or one.place != "block")
    return tuple(one for one in wanted if not KNOWN.holds(msgspec.json.encode(one.block)))
