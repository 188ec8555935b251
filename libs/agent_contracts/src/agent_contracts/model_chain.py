"""The text that chooses models: one model, or a chain of several, separated by commas.

The first one answers; the others stand in for it, in their order, where it can't be had.
"""

MOST_MODELS = 5
LONGEST_MODEL = 200
"""Characters of one model string."""
LONGEST_CHAIN = MOST_MODELS * (LONGEST_MODEL + 2)
"""Characters of a whole chain."""
_SHOWN = 60


def models_in(chain: str) -> tuple[str, ...]:
    """The model strings of a chain, in its order."""
    return tuple(model.strip() for model in chain.split(","))


def chain_flaw(chain: str) -> str | None:
    """Why this text chooses no model, as a clause without a full stop; None if it does."""
    models = models_in(chain)
    if models == ("",):
        return "it names no model"
    if "" in models:
        return "a model's name is missing before, between or after its commas"
    if len(models) > MOST_MODELS:
        return f"it names {len(models)} models, and a chain has at most {MOST_MODELS}"
    long = next((model for model in models if len(model) > LONGEST_MODEL), None)
    if long is not None:
        return f"a model's name has at most {LONGEST_MODEL} characters, and {long[:_SHOWN]}… has {len(long)}"
    twice = next((model for at, model in enumerate(models) if model in models[:at]), None)
    return None if twice is None else f"it names {twice[:_SHOWN]} twice"
