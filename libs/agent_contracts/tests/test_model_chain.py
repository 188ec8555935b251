"""One text chooses a model, or a chain of several."""

import pytest

from agent_contracts.model_chain import LONGEST_CHAIN, LONGEST_MODEL, MOST_MODELS, chain_flaw, models_in


def test_a_chain_names_its_models_in_order_with_or_without_blanks() -> None:
    wanted = ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5")
    assert models_in("openai/gpt-5-mini, anthropic/claude-sonnet-4-5") == wanted
    assert models_in("openai/gpt-5-mini,anthropic/claude-sonnet-4-5") == wanted
    assert models_in("openai/x") == ("openai/x",)


@pytest.mark.parametrize("chain", ["openai/x", "a, b", ", ".join(f"m/{at}" for at in range(MOST_MODELS))])
def test_one_to_five_models_are_a_chain(chain: str) -> None:
    assert chain_flaw(chain) is None


def test_the_longest_names_make_a_chain() -> None:
    chain = ", ".join(str(at) * LONGEST_MODEL for at in range(MOST_MODELS))
    assert chain_flaw(chain) is None
    assert len(chain) <= LONGEST_CHAIN


@pytest.mark.parametrize(
    ("chain", "said"),
    [
        ("", "names no model"),
        (" ", "names no model"),
        ("a,", "a model's name is missing"),
        (",a", "a model's name is missing"),
        ("a,,b", "a model's name is missing"),
        ("a,b,c,d,e,f", "names 6 models, and a chain has at most 5"),
        ("openai/x, a, openai/x", "names openai/x twice"),
        ("m" * 201, "has 201"),
    ],
)
def test_a_text_that_chooses_no_model_says_why(chain: str, said: str) -> None:
    assert said in (chain_flaw(chain) or "")
