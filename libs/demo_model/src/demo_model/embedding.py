"""Embeddings by script: how often a text names something of each subject. Pure."""

from typing import Any

from demo_model import wire
from demo_model.script import EmbeddingsScript

_NEVER = 0.01
"""In place of 0, so that no vector is nothing."""


def embedded(script: EmbeddingsScript | None, body: Any) -> tuple[dict[str, Any], int]:
    """The body to answer with, and its status. Without a script, no model gives any."""
    if script is None:
        return wire.error("This model does not give embeddings.", "invalid_request_error"), 404
    texts = body.get("input") if isinstance(body, dict) else None
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        return wire.error("'input' must be a text or a list of texts.", "invalid_request_error"), 400
    data = [
        {"object": "embedding", "index": index, "embedding": _vector(script, text.lower())}
        for index, text in enumerate(texts)
    ]
    tokens = sum(len(text) for text in texts) // 4 + 1
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": body.get("model"), "data": data, "usage": usage}, 200


def _vector(script: EmbeddingsScript, text: str) -> list[float]:
    return [_NEVER + sum(text.count(word.lower()) for word in subject) for subject in script.subjects]
