"""What Anthropic's Messages API streams, read from its JSON.

Any field may be missing, null or of a wrong type.
"""

from collections.abc import Mapping

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Piece, ToolPiece, known_reason
from model_caller.providers.json_fields import count, mapping, word

_THOUGHTS = ("thinking", "redacted_thinking")


class Reading:
    """Reads an answer's events in their order. `stop_reason` is in OpenAI's words; `over`: nothing comes."""

    def __init__(self) -> None:
        self.stop_reason: str | None = None
        self.over = False
        self._figures: dict[str, int] = {}
        self._thoughts: dict[int, dict[str, Json]] = {}
        self._without_input: set[int] = set()

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

    def take(self, event: Mapping[str, Json]) -> Piece:
        """What an event adds to the answer."""
        match event.get("type"):
            case "message_start":
                self._count(mapping(event.get("message")).get("usage"))
                return Piece(usage=self.usage)
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
        return Piece()

    def _begin(self, index: int, block: Mapping[str, Json]) -> Piece:
        match block.get("type"):
            case "tool_use":
                self._without_input.add(index)
                return Piece(tools=(ToolPiece(index, word(block.get("id")), word(block.get("name"))),))
            case kind if kind in _THOUGHTS:
                self._thoughts[index] = dict(block)
                return Piece()
            case _:
                return Piece(word(block.get("text")))

    def _go_on(self, index: int, delta: Mapping[str, Json]) -> Piece:
        match delta.get("type"):
            case "text_delta":
                return Piece(word(delta.get("text")))
            case "input_json_delta":
                part = word(delta.get("partial_json"))
                if part:
                    self._without_input.discard(index)
                return Piece(tools=(ToolPiece(index, arguments=part),) if part else ())
            case "thinking_delta":
                self._think(index, "thinking", delta)
            case "signature_delta":
                self._think(index, "signature", delta)
            case _:
                pass
        return Piece()

    def _think(self, index: int, name: str, delta: Mapping[str, Json]) -> None:
        block = self._thoughts.setdefault(index, {"type": "thinking"})
        block[name] = word(block.get(name)) + word(delta.get(name))

    def _end(self, index: int) -> Piece:
        if index in self._without_input:  # a call of a tool that takes nothing
            self._without_input.discard(index)
            return Piece(tools=(ToolPiece(index, arguments="{}"),))
        return Piece(thought=self._thoughts.pop(index, None))

    def _count(self, usage: Json) -> None:
        told = {name: count(value) for name, value in mapping(usage).items()}
        self._figures |= {name: figure for name, figure in told.items() if figure}


def _index(event: Mapping[str, Json]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
