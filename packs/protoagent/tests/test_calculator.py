"""`calculator`: the seed's examples, and whatever is no arithmetic, refused before it costs anything."""

import pytest

from agent_contracts.errors import ErrorKind
from foldline_protoagent.arithmetic import NotArithmetic, evaluated
from foldline_testing.agent_tools.called import Called


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("1 + 2 * 3", "1 + 2 * 3 = 7"),
        ("10 // 3", "10 // 3 = 3"),
        ("10 % 3", "10 % 3 = 1"),
        ("2 ** 10", "2 ** 10 = 1024"),
        ("-5 + 3", "-5 + 3 = -2"),
        ("(1 + 2) * 3", "(1 + 2) * 3 = 9"),
        ("(100 - 12.5) / 7", "(100 - 12.5) / 7 = 12.5"),
        ("+.5e1", "+.5e1 = 5.0"),
        ("2 ** -1", "2 ** -1 = 0.5"),
        ("2 ** 3 ** 2", "2 ** 3 ** 2 = 512"),
        ("-2 ** 2", "-2 ** 2 = -4"),
        ("1_000 * 2", "1_000 * 2 = 2000"),
    ],
)
async def test_what_it_works_out_is_what_the_seed_says(called: Called, expression: str, text: str) -> None:
    assert await called.text("calculator", expression=expression) == text


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("1 / 0", "Error: division by zero"),
        ("1 % 0", "Error: division by zero"),
        ("0 ** -1", "Error: division by zero"),
        ("__import__('os')", "is not part of arithmetic"),
        ("x", "is not part of arithmetic"),
        ("abs(-5)", "is not part of arithmetic"),
        ("(1).__class__", "is not part of arithmetic"),
        ("(1)(2)", "Call is not part of arithmetic"),
        ("'a' * 3", "is not part of arithmetic"),
        ("1 if 1 else 2", "is not part of arithmetic"),
        ("1j", "is not part of arithmetic"),
        ("1 << 2", "is not part of arithmetic"),
        ("~1", "is not part of arithmetic"),
        ("True", "is not part of arithmetic"),
        ("()", "Tuple is not part of arithmetic"),
        ("", "not a valid expression: ''"),
        ("1 +", "not a valid expression: '1 +'"),
        ("(1", "not a valid expression: '(1'"),
        ("007", "not a valid expression: '007'"),
        ("(-8) ** 0.5", "not a real number"),
        ("1e999", "too large"),
        ("1e200 * 1e200", "too large"),
        ("10 ** 4300", "too large"),
        ("10 ** 4299 * 10", "too large"),
        ("10 ** 400 / 3", "too large"),
    ],
)
async def test_what_is_no_arithmetic_is_refused_in_words(called: Called, expression: str, says: str) -> None:
    kind, message, path = await called.error("calculator", expression=expression)
    assert (kind, path) == (ErrorKind.INVALID_ARGUMENTS, "/expression")
    assert message.startswith("Error: ")
    assert says in message


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "9**9**9**9",
        "(" * 10_000 + "1" + ")" * 10_000,
        "(" * 400 + "1" + ")" * 400,
        "-" * 999 + "1",
        "- " * 499 + "1",
        "2**" * 330 + "2",
        "9" * 999 + "x",
        "1.1.1" * 200,
        "(10**4000)" + "*(10**4000)" * 80,
        "(10**4299)**99",
        "(10**4299)**99999",  # minutes, if it were done
        "1_" * 400,
        "1" + "+1" * 500_000,
    ],
)
def test_what_would_cost_much_is_refused_without_being_done(expression: str) -> None:
    with pytest.raises(NotArithmetic):
        evaluated(expression)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1" + "+1" * 499, 500),
        ("(" * 100 + "7" + ")" * 100, 7),
        ("-" * 100 + "7", 7),
        ("10 ** 4299", 10**4299),
        ("1 ** (10 ** 4000)", 1),
        ("9 ** -99999", 0.0),
    ],
)
def test_what_is_long_deep_or_large_within_the_bounds_is_worked_out(expression: str, value: float) -> None:
    assert evaluated(expression) == value
