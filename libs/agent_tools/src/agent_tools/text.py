"""Results that are one text, word for word, for packs whose texts are fixed."""

from pydantic import model_serializer

from agent_tools.tool import Result


class TextResult(Result):
    """A text: the model reads it as it is, not as an object."""

    text: str

    @model_serializer
    def _as_text(self) -> str:
        return self.text
