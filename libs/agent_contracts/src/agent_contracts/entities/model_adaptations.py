"""What is changed in requests to one model of one server, since the server refused them as they were."""

import hashlib
from enum import StrEnum

import msgspec

from agent_contracts.entities.entity import EntityKind

ADAPTATIONS_KIND = EntityKind.MODEL_ADAPTATIONS
"""Entities of the installation: all agents and model callers share them."""
ONCE = "once"
"""A `field`: the adaptation is for one request, and is not remembered."""
MOST_ADAPTATIONS = 24
"""For one model; a server that wants more changes isn't one that can be adapted to."""


class Adaptation(StrEnum):
    """One way to change a request."""

    WITHOUT_FIELD = "without_field"
    """An optional field is left out: the `field`."""
    COMPLETION_TOKENS = "max_completion_tokens"
    """The longest answer is named `max_completion_tokens`."""
    ANSWER_LIMIT = "answer_limit"
    """The longest answer is at most this long: the `field`, in tokens."""
    NO_TOOLS = "no_tools"
    """No tools are offered; earlier calls and their results are told as text."""
    PLAIN_SCHEMAS = "plain_schemas"
    """Schemas of tools have only the few words that every server reads."""
    NO_PICTURES = "no_pictures"
    """Pictures are described in words."""
    STRICT_ALTERNATION = "strict_alternation"
    """User and assistant take turns, the user first; only the first message is the system's."""
    DEVELOPER_ROLE = "developer_role"
    """The system prompt has the role `developer`."""
    NO_SYSTEM_ROLE = "no_system_role"
    """The system prompt stands in the first message of the user."""
    NO_TOOL_ROLE = "no_tool_role"
    """Earlier calls and their results are told as text; tools are offered."""
    TEXT_CONTENT = "text_content"
    """The content of each message is one text: neither parts nor null."""
    TOOL_NAMES = "tool_names"
    """Each result of a tool has the tool's name."""
    SHORT_CALL_IDS = "short_call_ids"
    """The id of each call is nine letters and digits, made of its own id."""
    REASONING_BACK = "reasoning_back"
    """The model's reasoning is sent back to it."""
    NO_REASONING = "no_reasoning"
    """The model's reasoning is never sent back to it."""


MEANINGS = {
    Adaptation.WITHOUT_FIELD: "the field {field} is left out",
    Adaptation.COMPLETION_TOKENS: "the longest answer is sent as max_completion_tokens",
    Adaptation.ANSWER_LIMIT: "an answer has at most {field} tokens",
    Adaptation.NO_TOOLS: "it can't use tools: none are offered",
    Adaptation.PLAIN_SCHEMAS: "tools are described in simpler schemas",
    Adaptation.NO_PICTURES: "it can't see pictures: they are described in words",
    Adaptation.STRICT_ALTERNATION: "the user and the model take turns strictly",
    Adaptation.DEVELOPER_ROLE: "the system prompt is sent as the developer's",
    Adaptation.NO_SYSTEM_ROLE: "the system prompt is sent in the user's first message",
    Adaptation.NO_TOOL_ROLE: "earlier calls and their results are sent as text",
    Adaptation.TEXT_CONTENT: "the content of each message is one text",
    Adaptation.TOOL_NAMES: "each result names its tool",
    Adaptation.SHORT_CALL_IDS: "ids of calls are nine letters and digits",
    Adaptation.REASONING_BACK: "its reasoning is sent back to it",
    Adaptation.NO_REASONING: "its reasoning is not sent back to it",
}
"""What each is, in words for people."""

TOLD_IN_CHATS = (Adaptation.NO_TOOLS, Adaptation.NO_PICTURES)
"""Those that change what a model can do: the person reads of them in the chat, once."""


class LearnedAdaptation(msgspec.Struct, frozen=True, omit_defaults=True):
    """An adaptation, and how it was learned: the server's words, and when (RFC 3339 in UTC)."""

    adaptation: Adaptation
    said: str
    learned_at: str
    field: str | None = None

    @property
    def label(self) -> str:
        """Names it: two with one label are the same."""
        return self.adaptation if self.field is None else f"{self.adaptation} {self.field}"

    @property
    def meaning(self) -> str:
        """What it is, in words for people."""
        return MEANINGS[self.adaptation].format(field=self.field)


class ModelAdaptations(msgspec.Struct, frozen=True):
    """All that are known of one model at one server. `server`: its address, or its provider's name."""

    server: str
    model: str
    learned: tuple[LearnedAdaptation, ...] = ()

    def adding(self, more: tuple[LearnedAdaptation, ...]) -> "ModelAdaptations":
        """The same with these; what is known already stays as it is. The oldest go, beyond the most."""
        labels = {one.label for one in self.learned}
        new = tuple(one for one in more if one.label not in labels)
        return msgspec.structs.replace(self, learned=(*self.learned, *new)[-MOST_ADAPTATIONS:])

    def without(self, label: str) -> "ModelAdaptations":
        """The same without the one of this label."""
        kept = tuple(one for one in self.learned if one.label != label)
        return msgspec.structs.replace(self, learned=kept)


def adaptations_name(server: str, model: str) -> str:
    """The name of the entity for this model at this server (see `ModelAdaptations`)."""
    return hashlib.sha256(msgspec.json.encode((server, model))).hexdigest()[:20]
