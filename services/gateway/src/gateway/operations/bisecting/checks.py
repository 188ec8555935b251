"""The check of a bisection: whether it can be, and whether an answer passes it."""

import asyncio
import json
import re
import sys

from agent_contracts.entities.bisections import Check
from agent_contracts.errors import Rejected

_MAX_PATTERN = 1_000
_MAX_ASK = 20_000
_ANSWER = 100_000
"""Characters of an answer that are looked at."""
_PATTERN_S = 5.0
_MATCHER = """
import json, re, sys
pattern, text = json.load(sys.stdin)
sys.exit(0 if re.search(pattern, text, re.IGNORECASE | re.MULTILINE) else 3)
"""


def check_check(check: Check) -> None:
    """`Rejected` for what can't be a check."""
    if (check.ask is None) == (check.function is None):
        raise _wrong("Name either a message to ask, or a function of the agent")
    if check.ask is not None:
        if not check.ask.strip() or len(check.ask) > _MAX_ASK:
            raise _wrong(f"The message to ask has 1 to {_MAX_ASK:,} characters, not only blanks")
        if not check.expect and not check.expect_not:
            raise _wrong("Say what the answer must contain (`expect`), or must not (`expect_not`)")
    elif check.expect or check.expect_not or check.regex:
        raise _wrong("A function is right where it returns true: leave `expect` and `expect_not` out")
    for text in (check.expect, check.expect_not):
        if text is not None and len(text) > _MAX_PATTERN:
            raise _wrong(f"What is expected has at most {_MAX_PATTERN:,} characters")
        if text and check.regex:
            try:
                re.compile(text)
            except re.error as error:
                raise _wrong(f"{text!r} is not a regular expression: {error}") from error


async def passes(check: Check, answer: str) -> bool:
    """Whether an answer has what it must and hasn't what it mustn't. Case is ignored."""
    text = answer[:_ANSWER]
    wanted = not check.expect or await _found(check, check.expect, text)
    return wanted and not (check.expect_not and await _found(check, check.expect_not, text))


async def _found(check: Check, wanted: str, text: str) -> bool:
    """An expression may take for ever: it is run in a process of its own, for some seconds."""
    if not check.regex:
        return wanted.casefold() in text.casefold()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", _MATCHER, stdin=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(_PATTERN_S):
            await process.communicate(json.dumps([wanted, text]).encode())
    except TimeoutError:
        raise _wrong(f"The expression {wanted!r} takes longer than {_PATTERN_S:g} s on an answer") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode == 0


def _wrong(message: str) -> Rejected:
    return Rejected(message, kind="invalid_request")
