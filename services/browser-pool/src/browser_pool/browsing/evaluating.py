"""Running a model's JavaScript in a page: past its content security policy, and with an end."""

import contextlib
from typing import Any

from playwright.async_api import CDPSession, Error, Page

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.json_reader import FROM_MODELS, read_json
from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable
from browser_pool.limits import MIB, TEXT_BYTES

_RUN_MS = 15_000
_SHOWN = 1_000

_TAIL = f"""
  const __text = JSON.stringify(__value);
  if (__text === undefined) return 'null';
  return __text.length > {TEXT_BYTES} ? __text.length : __text;
}})()"""
_EXPRESSION = """(async () => {{
  let __value = await (
{code}
  );
  if (typeof __value === 'function') __value = await __value();"""
_BODY = """(async () => {{
  const __value = await (async () => {{
{code}
  }})();"""


async def evaluated(page: Page, code: str) -> Json:
    """The value of an expression, of what a function returns, or of statements with `return`.

    `Rejected`: `invalid_arguments` for what doesn't parse, `too_large`, or what the code threw.
    `Permanent(kind="timeout")` where it has no end.
    """
    session = await page.context.new_cdp_session(page)
    try:
        answer = await _run(session, _EXPRESSION.format(code=code) + _TAIL)
        if _is_syntax_error(answer):
            answer = await _run(session, _BODY.format(code=code) + _TAIL)
    finally:
        with contextlib.suppress(Error):
            await session.detach()
    return _value(answer)


async def _run(session: CDPSession, expression: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = await session.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "awaitPromise": True,
                "returnByValue": True,
                "userGesture": True,
                "timeout": _RUN_MS,
            },
        )
    except Error as error:
        if "Internal error" in str(error):  # what Chromium says when it stopped the code
            raise _endless() from error
        raise
    return answer


def _value(answer: dict[str, Any]) -> Json:
    problem = answer.get("exceptionDetails")
    if problem is not None:
        thrown = problem.get("exception", {})
        said = str(thrown.get("description") or thrown.get("value") or problem.get("text", ""))[:_SHOWN]
        if _is_syntax_error(answer):
            raise Rejected(
                f"the code can't be parsed: {said.splitlines()[0]}",
                kind=ErrorKind.INVALID_ARGUMENTS,
                path="/code",
            )
        if "terminated" in said.lower():
            raise _endless()
        raise Rejected(f"the code threw: {said}")
    value = answer.get("result", {}).get("value")
    if isinstance(value, int | float):
        raise Rejected(
            f"the value is {int(value)} characters of JSON: {TEXT_BYTES // MIB} MiB is the most",
            kind=ErrorKind.TOO_LARGE,
        )
    try:
        found: Json = storable(read_json(str(value)[: TEXT_BYTES + 1], FROM_MODELS))
    except Rejected as failure:
        raise Rejected(f"the value is not JSON: {failure.message}") from failure
    return found


def _is_syntax_error(answer: dict[str, Any]) -> bool:
    """Nothing ran then: what threw one itself is a promise that failed."""
    problem = answer.get("exceptionDetails")
    if problem is None:
        return False
    thrown = problem.get("exception", {})
    return thrown.get("className") == "SyntaxError" and "in promise" not in str(problem.get("text", ""))


def _endless() -> Permanent:
    return Permanent(f"the code ran for {_RUN_MS // 1000} s and was stopped", kind=ErrorKind.TIMEOUT)
