"""What a foreign server had a model asked in the middle of a call: each question, and what came of it."""

import msgspec

LONGEST_SAID = 2_000
"""Characters of a question, and of its answer, that are kept."""


class SampledQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question that an MCP server had a model asked (`sampling/createMessage`)."""

    asked: str
    """The beginning of the question."""
    answered: str = ""
    """The beginning of the answer; empty: there was none."""
    model: str = ""
    """The model that was asked; empty: none was."""
    input: int = 0
    """Tokens that the model read."""
    output: int = 0
    """Tokens that the model wrote."""
    error: str = ""
    """Why there was no answer; empty: there was one."""
