"""What may be said to a session, whichever door it comes through."""

from collections.abc import Sequence

from agent_contracts.api.sessions import MAX_FILES, MAX_TITLE, MAX_TOKENS, check_length
from agent_contracts.errors import Rejected
from agent_contracts.model_chain import LONGEST_CHAIN, chain_flaw

MAX_MODEL = LONGEST_CHAIN
"""Characters of a model's name, as provider/model, or of a chain of them."""


def check_message(text: str, files: Sequence[str] = ()) -> None:
    """`Rejected` for what can't be a message: it has text or files."""
    check_length(text)
    if not text.strip() and not files:
        raise Rejected("A message must have text", kind="invalid_request")
    if len(files) > MAX_FILES:
        raise Rejected(f"A message may have at most {MAX_FILES} files", kind="invalid_request")


def check_title(title: str) -> None:
    """`Rejected` for a text that can't be a title."""
    if not title.strip() or len(title) > MAX_TITLE:
        raise Rejected(f"A title has 1 to {MAX_TITLE} characters, not only blanks", kind="invalid_request")


def check_model(model: str) -> None:
    """`Rejected` for a text that names neither a model nor a chain of models."""
    flaw = chain_flaw(model)
    if flaw is not None:
        raise Rejected(f"The model can't be this: {flaw}", kind="invalid_request", path="/model")


def check_tokens(limit: int) -> None:
    """`Rejected` for a number that can't be a session's limit of tokens."""
    if not 1 <= limit <= MAX_TOKENS:
        raise Rejected(f"A token limit is a number from 1 to {MAX_TOKENS:,}", kind="invalid_request")
