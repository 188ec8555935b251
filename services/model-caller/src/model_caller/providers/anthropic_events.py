"""What Anthropic's Messages API answers, read from its JSON: streamed, or all of it at once.

Any field may be missing, null or of a wrong type.
"""

from collections.abc import Iterator, Mapping

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from agent_platform.log.storable_text import storable
from model_caller.answers.answer import AnswerPiece, ToolPiece, known_reason
from model_caller.answers.thinking_pieces import split, split_end
from model_caller.providers.json_fields import arguments_text, count, mapping, mappings, word
from model_caller.thinking.fields import ThoughtBlock
from model_caller.thinking.splitting import ThinkingSplitter

_THOUGHTS = ("thinking", "redacted_thinking")


def events_of(answer: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The events of a whole answer, from a server that doesn't stream; else the event itself."""
    if answer.get("type") != "message" or not isinstance(answer.get("content"), list):
        yield answer
        return
    yield {"type": "message_start", "message": {"usage": answer.get("usage")}}
    for index, block in enumerate(mappings(answer["content"])):
        yield {"type": "content_block_start", "index": index, "content_block": dict(block)}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": answer.get("stop_reason")}}
    yield {"type": "message_stop"}


class AnthropicReader:
    """Reads an answer's events in their order. `stop_reason` is in OpenAI's words; `over`: nothing comes."""

    def __init__(self) -> None:
        self.stop_reason: str | None = None
        self.over = False
        self._figures: dict[str, int] = {}
        self._thoughts: dict[int, ThoughtBlock] = {}
        self._has_thought = False
        self._splitting = ThinkingSplitter()
        self._inputs: dict[int, Json] = {}
        """Of calls without any delta so far: what their beginning had."""

    @property
    def usage(self) -> Usage | None:
        """The server's figures; None if they are missing or all zero.

        Anthropic counts input that it kept, or had kept, apart from other input; here it is all input.
        """
        figures = self._figures
        kept = figures.get("cache_read_input_tokens", 0)
        written = figures.get("cache_creation_input_tokens", 0)
        asked = figures.get("input_tokens", 0) + kept + written
        answered = figures.get("output_tokens", 0)
        return Usage(asked, answered, kept, written) if asked or answered else None

    def take(self, event: Mapping[str, Json]) -> AnswerPiece:
        """What an event adds to the answer."""
        return split(self._splitting, self._piece(event))

    def rest(self) -> AnswerPiece:
        """What was kept back of the text, at the end of the answer."""
        return split_end(self._splitting)

    def _piece(self, event: Mapping[str, Json]) -> AnswerPiece:
        match event.get("type"):
            case "message_start":
                self._count(mapping(event.get("message")).get("usage"))
                return AnswerPiece(usage=self.usage)
            case "content_block_start":
                return self._begin(_index(event), mapping(event.get("content_block")))
            case "content_block_delta":
                return self._go_on(_index(event), mapping(event.get("delta")))
            case "content_block_stop":
                return self._end(_index(event))
            case "message_delta":
                self._count(event.get("usage"))
                reason = word(mapping(event.get("delta")).get("stop_reason"))
                self.stop_reason = known_reason(reason or None) or self.stop_reason
            case "message_stop":
                self.over = True
            case _:
                pass  # a ping, or something newer than this
        return AnswerPiece()

    def _begin(self, index: int, block: Mapping[str, Json]) -> AnswerPiece:
        match block.get("type"):
            case "tool_use":
                self._inputs[index] = block.get("input", {})
                return AnswerPiece(tools=(ToolPiece(index, word(block.get("id")), word(block.get("name"))),))
            case kind if kind in _THOUGHTS:
                return self._think(index, block)
            case _:
                return AnswerPiece(word(block.get("text")))

    def _go_on(self, index: int, delta: Mapping[str, Json]) -> AnswerPiece:
        match delta.get("type"):
            case "text_delta":
                return AnswerPiece(word(delta.get("text")))
            case "input_json_delta":
                part = arguments_text(delta.get("partial_json"))
                if part:
                    self._inputs.pop(index, None)
                return AnswerPiece(tools=(ToolPiece(index, arguments=part),) if part else ())
            case "thinking_delta":
                return self._think(index, {"type": "thinking", "thinking": word(delta.get("thinking"))})
            case "signature_delta":
                return self._think(index, {"type": "thinking", "signature": word(delta.get("signature"))})
            case _:
                return AnswerPiece()

    def _think(self, index: int, part: Mapping[str, Json]) -> AnswerPiece:
        text = word(part.get("thinking"))
        if index not in self._thoughts:
            self._thoughts[index] = ThoughtBlock()
            text = f"\n\n{text}" if self._has_thought else text
            self._has_thought = True
        self._thoughts[index].add(part)
        return AnswerPiece(thinking=text)

    def _end(self, index: int) -> AnswerPiece:
        if index in self._inputs:  # a tool that takes nothing, or a server that sends all at once
            given = self._inputs.pop(index)
            return AnswerPiece(
                tools=(ToolPiece(index, arguments=arguments_text(given), is_null=given is None),)
            )
        thought = self._thoughts.pop(index, None)
        return AnswerPiece(thought=None if thought is None else dict(mapping(storable(thought.whole()))))

    def _count(self, usage: Json) -> None:
        told = {name: count(value) for name, value in mapping(usage).items()}
        self._figures |= {name: figure for name, figure in told.items() if figure}


def _index(event: Mapping[str, Json]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
