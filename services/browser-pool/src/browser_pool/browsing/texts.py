"""Text of a page, bounded before it leaves the page and again here."""

from playwright.async_api import Locator

from agent_platform.log.storable_text import storable_text
from browser_pool.limits import TEXT_BYTES

_READ = {
    # To lay a huge document out takes longer than a call may.
    "innerText": "(e.textContent ?? '').length > 8 * n ? e.textContent : e.innerText ?? e.textContent ?? ''",
    "innerHTML": "e.innerHTML",
    "outerHTML": "e.outerHTML",
}


async def text_of(element: Locator, what: str, most: int = TEXT_BYTES) -> tuple[str, bool]:
    """`innerText`, `innerHTML` or `outerHTML`, and whether it was cut at `most` bytes of UTF-8."""
    code = f"(e, n) => {{ const t = {_READ[what]}; return [t.slice(0, n), t.length > n]; }}"
    found = await element.evaluate(code, most)
    text, cut = str(found[0]), bool(found[1])
    return cut_text(text, most, cut=cut)


def cut_text(text: str, most: int = TEXT_BYTES, *, cut: bool = False) -> tuple[str, bool]:
    """Text that can be stored, of no more bytes than that, and whether any is missing."""
    data = storable_text(text).encode()
    if len(data) <= most:
        return data.decode(), cut
    return data[:most].decode(errors="ignore"), True
