"""Model callers for tests of what asks models."""

from agent_contracts.errors import ErrorKind, Transient
from agent_contracts.questions.embedding import Embed, EmbeddingsGiven
from agent_contracts.questions.generation import Generate, GenerationResult


class ScriptedModels:
    """Model callers that give these answers, one after another, and keep what they were asked."""

    def __init__(self, *answers: GenerationResult) -> None:
        self.answers = list(answers)
        self.asked: list[Generate] = []

    async def generate(self, asked: Generate) -> GenerationResult:
        """The next answer; `Transient` if there is none left."""
        self.asked.append(asked)
        if not self.answers:
            raise Transient("nobody answers", kind="no_responders")
        return self.answers.pop(0)

    async def embed(self, asked: Embed) -> EmbeddingsGiven:
        """No model gives any."""
        return EmbeddingsGiven(error_kind=ErrorKind.NOT_AVAILABLE, error="no model gives embeddings")
