"""What a foreign server had a model asked in the middle of a call: each question, and what came of it."""

import msgspec

LONGEST_SAID = 2_000
"""Characters of a question, and of its answer, that are kept."""


class SampledQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question, by MCP's `sampling/createMessage`: what was `asked` of the `model` and what it answered,
    each at most `LONGEST_SAID` characters, or in `error` why there was no answer. `input` and `output` are
    its tokens, which the call's `usage` counts."""

    asked: str
    answered: str = ""
    model: str = ""
    input: int = 0
    output: int = 0
    error: str = ""
