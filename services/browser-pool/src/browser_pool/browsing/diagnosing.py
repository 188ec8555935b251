"""Why an element can't be clicked or typed into: what was measured of it, and which check failed."""

from pathlib import Path
from typing import Any

from playwright.async_api import Error, Locator

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable

_MEASURE_MS = 3_000
_TRIAL_MS = 2_000

_MEASURE = Path(__file__).with_name("measure.js").read_text(encoding="utf-8")


async def require_clickable(element: Locator, path: str) -> None:
    """Waits up to two seconds for it to become visible, still, enabled, and uncovered.

    `Rejected` with the check that failed as `reason` and what was measured: `not_found` (it went away),
    `hidden`, `zero_size`, `disabled`, `inert`, `behind_dialog`, `ignores_pointer`, `outside`, `covered`,
    `timeout`.
    """
    try:
        await element.click(trial=True, timeout=_TRIAL_MS)
    except Error as error:
        if "Timeout" not in type(error).__name__:
            raise
        raise await _why_not(element, path) from error


async def require_editable(element: Locator, path: str) -> None:
    """`Rejected` for what can't be typed into: the reason as for clicks, or `not_editable`, `read_only`."""
    try:
        measured = await element.evaluate(_MEASURE, timeout=_MEASURE_MS)
    except Error as error:
        if "Timeout" not in type(error).__name__:
            raise
        raise _refused("not_found", "the element went away", path, {}) from error
    if not measured["editable"]:
        raise _refused("not_editable", f"{measured['element']} takes no text", path, measured)
    if (unusable := _unusable(measured)) is not None:
        raise _refused(*unusable, path, measured)
    if measured["read_only"]:
        raise _refused("read_only", f"{measured['element']} is read-only", path, measured)
    if not measured["rendered"] or measured["visibility"] != "visible":
        raise _refused("hidden", f"{measured['element']} is hidden", path, measured)


async def _why_not(element: Locator, path: str) -> Rejected:
    try:
        measured: dict[str, Any] = await element.evaluate(_MEASURE, timeout=_MEASURE_MS)
    except Error as error:
        if "Timeout" not in type(error).__name__:
            raise
        return _refused("not_found", "the element went away", path, {})
    name, box, view = measured["element"], measured["box"], measured["viewport"]
    if not measured["connected"]:
        return _refused("not_found", "the element went away", path, measured)
    if not measured["rendered"] or measured["visibility"] != "visible":
        how = f"display {measured['display']}, visibility {measured['visibility']}"
        return _refused("hidden", f"{name} is hidden ({how})", path, measured)
    if not box["width"] or not box["height"]:
        return _refused("zero_size", f"{name} has no size ({box['width']} × {box['height']})", path, measured)
    if (unusable := _unusable(measured)) is not None:
        return _refused(*unusable, path, measured)
    if measured["ignores_pointer"]:
        where = _by(measured["ignores_pointer"], name)
        return _refused(
            "ignores_pointer", f"{name} ignores clicks: pointer-events is none{where}", path, measured
        )
    if not measured["inside"]:
        seen = f"its middle is outside of the {view['width']} × {view['height']} that are seen"
        return _refused("outside", f"{name} can't be scrolled into view: {seen}", path, measured)
    if measured["covered_by"]:
        return _refused("covered", f"{name} is covered by {measured['covered_by']}", path, measured)
    return _refused("timeout", f"{name} did not become clickable within 2 s: it may move", path, measured)


def _unusable(measured: dict[str, Any]) -> tuple[str, str] | None:
    """The reason and the sentence for an element that the page itself has switched off."""
    name = measured["element"]
    if measured["disabled"]:
        return "disabled", f"{name} is disabled{_by(measured['disabled_by'], name)}"
    if measured["inert"]:
        return "inert", f"{name} takes no input: it is inert{_by(measured['inert'], name)}"
    if measured["modal"]:
        return "behind_dialog", f"{name} takes no input while {measured['modal']} is open: close that first"
    return None


def _by(cause: str | None, name: str) -> str:
    """Which other element is the cause."""
    return f", by {cause}" if cause and cause != name else ""


def _refused(reason: str, why: str, path: str, measured: dict[str, Json]) -> Rejected:
    kind = {"not_found": ErrorKind.NOT_FOUND, "timeout": ErrorKind.TIMEOUT}.get(reason, ErrorKind.REJECTED)
    details: dict[str, Json] = {"reason": reason, **storable(measured)}
    return Rejected(f"nothing was done: {why}", kind=kind, path=path, details=details)
