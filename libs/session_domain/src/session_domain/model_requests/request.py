"""The exact request for one model call, out of the session and what the agent brings."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from agent_contracts.entities.model_adaptations import Adaptation
from agent_contracts.errors import LogCorrupt
from agent_contracts.json_value import Json
from agent_contracts.model_context import PictureRule
from agent_contracts.session_events.results import Thinking, Thought
from session_domain.domain.rules.tokens import tokens_in
from session_domain.domain.shown.modes import TIMES, is_shown, visible_in
from session_domain.domain.shown.on_demand import needed_by, sent
from session_domain.domain.shown.profile import Profile
from session_domain.domain.shown.prompt import PromptPart, offered, system_parts
from session_domain.domain.shown.shapes import SHAPES, Shapes
from session_domain.domain.shown.showing import system_message
from session_domain.domain.state import SessionState
from session_domain.model_requests.definitions import definition_of, encoded_definition
from session_domain.model_requests.encoded_array import EncodedArray, array_size, encoded, part_of
from session_domain.model_requests.rendering import A_PICTURE, MessageSelection
from session_domain.model_requests.returned_thinking import ReturnedThinking, returnable, without_marks

PICTURE_TOKENS = 1_600
"""What a picture of full size takes, by Anthropic's and OpenAI's figures."""
OF_A_PICTURE = 4 * PICTURE_TOKENS
"""Bytes of text with as many tokens."""


class ModelRequest(msgspec.Struct, frozen=True):
    """What is sent to the provider, in the form that OpenAI's interface gave to all of them.

    `options` are further parameters, each left out for a model that doesn't take it. `thoughts` are the
    model's own, which go back to it with the answer that they led to: by its place in `messages`. So are the
    texts of its `reasoning`, to a server that wants them back: if it `returns_reasoning`.
    `pictures` are those that stand in the messages by their hash, as data URLs.
    """

    model: str
    messages: Sequence[dict[str, Json]]
    tools: Sequence[dict[str, Json]]
    options: dict[str, Json] = {}
    thoughts: dict[str, tuple[Thought, ...]] = {}
    reasoning: dict[str, Thinking] = {}
    pictures: Mapping[str, str] = {}
    returns_reasoning: bool = False

    def as_sent(self) -> dict[str, Json]:
        """The request as JSON, its pictures by their hashes."""
        sent: dict[str, Json] = {"model": self.model, "messages": [*self.messages], "tools": [*self.tools]}
        if self.thoughts:
            sent["thoughts"] = msgspec.to_builtins(self.thoughts)
        if self.reasoning and self.returns_reasoning:
            sent["reasoning"] = msgspec.to_builtins(self.reasoning)
        return sent

    @property
    def size(self) -> int:
        """The bytes of `as_sent`, without encoding what is encoded already; for each picture as many more as
        the tokens that it takes have in a text."""
        around = msgspec.structs.replace(self, messages=(), tools=())
        nothing = 2 * len("[]")
        bare = len(msgspec.json.encode(around.as_sent())) - nothing
        seen = len(self.pictures) * OF_A_PICTURE
        return bare + encoded(self.messages).size + encoded(self.tools).size + seen

    @property
    def tokens(self) -> int:
        """Roughly what the request takes of a model's window; see `rules.tokens`."""
        around = msgspec.structs.replace(self, messages=(), tools=())
        parts = (*encoded(self.messages).parts, *encoded(self.tools).parts)
        texts = tokens_in(msgspec.json.encode(around.as_sent())) + sum(map(tokens_in, parts))
        return texts + len(self.pictures) * PICTURE_TOKENS

    def texts(self) -> list[dict[str, Json]]:
        """The messages without their pictures."""
        return [*self.messages] if not self.pictures else [_without_pictures(one) for one in self.messages]

    def with_pictures(self) -> "ModelRequest":
        """The request with the pictures' bytes in it, in the form that OpenAI's interface has for them."""
        if not self.pictures:
            return self
        parts = [
            part_of([_with_bytes(one, self.pictures) for one in msgspec.json.decode(b"[" + part + b"]")])
            if A_PICTURE in part
            else part
            for part in encoded(self.messages).parts
        ]
        return msgspec.structs.replace(self, messages=EncodedArray(parts), pictures={})


class RequestParts(msgspec.Struct, frozen=True, dict=True):
    """What a request is made of besides the session's messages; `shapes` is how these look, `timezone` that
    of the times beside them (None: there are none).

    Whoever asks again with the same one has it encoded once.
    """

    parts: tuple[PromptPart, ...]
    tools: tuple[dict[str, Json], ...]
    timezone: str | None
    shapes: Shapes
    pictures: PictureRule | None = None

    @cached_property
    def system(self) -> bytes:
        """The message with the parts, encoded."""
        return part_of(system_message([part.text for part in self.parts], self.shapes))

    @cached_property
    def definitions(self) -> EncodedArray:
        """The tools, encoded."""
        return EncodedArray([encoded_definition(tool).data for tool in self.tools])


def returning(request: ModelRequest, adapted: Sequence[str]) -> ModelRequest:
    """The request with the thinking that its model's server takes, by the labels of how it is adapted."""
    if Adaptation.NO_REASONING in adapted:
        return msgspec.structs.replace(request, thoughts={}, reasoning={})
    if Adaptation.REASONING_BACK in adapted:
        return msgspec.structs.replace(request, returns_reasoning=True)
    return request


def shown_to(session: SessionState, profile: Profile) -> RequestParts:
    """The prompt's parts and the tool definitions for this session, as of its fold.

    `LogCorrupt` if it is in no turn.
    """
    if session.turn_began is None:
        raise LogCorrupt("a model was asked for outside of a turn")
    summarising = session.model_call is not None and session.model_call.purpose == "summary"
    tools = () if summarising else offered(profile.tools, session)
    pinned = (*profile.pinned, *needed_by(session))
    visible = msgspec.structs.replace(visible_in(profile, session.mode), tools=tools, pinned=pinned)
    every = system_parts(visible, sub_session=session.parent_id is not None)
    small = profile.for_small_model
    parts = (part for part in every if is_shown(part.name, session.mode, small=small))
    definitions = tuple(definition_of(tool) for tool in sent(visible))
    return RequestParts(tuple(parts), definitions, timezone_for(session, profile), SHAPES)


def timezone_for(session: SessionState, profile: Profile) -> str | None:
    """That of the times beside the session's messages; None: its model is shown none."""
    return profile.timezone if is_shown(TIMES, session.mode) else None


def _without_pictures(message: dict[str, Json]) -> dict[str, Json]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return message | {"content": [one for one in content if one.get("type") != "picture"]}


def _with_bytes(message: dict[str, Json], pictures: Mapping[str, str]) -> dict[str, Json]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts: list[Json] = [
        {"type": "image_url", "image_url": {"url": pictures[one["blob"]]}}
        if one.get("type") == "picture"
        else one
        for one in content
    ]
    return message | {"content": parts}


def build_request(
    choice: MessageSelection, shown: RequestParts, model: str, pictures: Mapping[str, str] | None = None
) -> ModelRequest:
    """The request. The same messages of a session and the same parts always give the same bytes."""
    first = (shown.system,) if shown.parts else ()  # some providers refuse an empty one
    parts, size = choice.parts, choice.size
    returned = ReturnedThinking()
    if choice.session.thinks:
        parts, returned = without_marks(
            choice.parts, returnable(choice.session, choice.chosen, model), len(first)
        )
        size = sum(map(len, parts))
    size = array_size(sum(map(len, first)) + size, len(first) + len(parts))
    messages = EncodedArray((*first, *parts), size)
    return ModelRequest(
        model,
        messages,
        shown.definitions,
        thoughts=returned.thoughts,
        reasoning=returned.reasoning,
        pictures=pictures or {},
    )
