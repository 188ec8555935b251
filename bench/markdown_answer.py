"""A long answer as models write them: prose, lists, tables, code, formulas, all in Markdown."""

_CODE = "\n".join(
    f"def step_{number}(values: list[int]) -> int:\n    return sum(values) * {number}" for number in range(60)
)
_ROWS = "\n".join(
    f"| row {number} | {number * 7} | `x{number}` | **{number % 9}** of 9 |" for number in range(120)
)
_LIST = "\n".join(f"- point {number}: a [link](#) and *words*\n  - below it, `code`" for number in range(30))


def markdown_answer(sections: int) -> str:
    """So many sections of about nine kilobytes each."""
    return "\n".join(_section(number) for number in range(1, sections + 1))


def _section(number: int) -> str:
    formula = f"$$\\int_0^{{{number}}} x^2 dx = \\frac{{{number}}}{{3}}$$"
    return f"""## Part {number}

Some *prose* with **bold** words, `code`, and a formula $E = mc^2 + {number}$ that stands in its line. It goes
on for a while, as answers do, and says the same thing once more in other words.

{formula}

| name | value | code | share |
| -- | --: | -- | -- |
{_ROWS}

```python
{_CODE}
```

{_LIST}
"""
