"""What a reader of a page doesn't see stays out of its text; links lead where a browser would take them."""

import pytest

from agent_tools.pages.main_content import main_content
from agent_tools.pages.page_text import page_text

URL = "https://a.example/x/y"
SHEET = """<style>.x{display:none} .x.on{display:block} .y > .z{font-size:0} @media print{p{display:none}}
p:hover{display:none} @media screen{#gone{visibility:hidden}}</style>"""
LONG = "which is long enough to be a paragraph of an article that is worth to be read"


def page(*parts: str, head: str = SHEET) -> str:
    return f"<html><head>{head}</head><body><article>{''.join(parts)}</article></body></html>"


@pytest.mark.parametrize(
    "hidden",
    [
        "<template><p>trap</p></template>",
        "<p hidden>trap</p>",
        "<p class=x>trap</p>",
        "<div class=y><p class=z>trap</p></div>",
        "<p id=gone>trap</p>",
        "<p style='display: none'>trap</p>",
        "<p style='DISPLAY:NONE !important'>trap</p>",
        "<p style='visibility:hidden'>trap</p>",
        "<p style='font-size:0'>trap</p>",
        "<p style='font-size:.5px'>trap</p>",
        "<p style='font:0/0 a'>trap</p>",
        "<p style='opacity:0'>trap</p>",
        "<p style='color:#fff'>trap</p>",
        "<p style='color:transparent'>trap</p>",
        "<font color=white>trap</font>",
        "<div style='background:#000'><p style='color:rgb(0 0 0)'>trap</p></div>",
        "<p style='position:absolute;left:-9999px'>trap</p>",
        "<p style='text-indent:-100em'>trap</p>",
        "<p style='width:1px;height:1px;overflow:hidden'>trap</p>",
        "<p style='position:absolute;clip:rect(0,0,0,0)'>trap</p>",
        "<p style='clip-path: inset(50%)'>trap</p>",
        "<p style='transform: scale(0)'>trap</p>",
        "<dialog>trap</dialog>",
        "<noscript>trap</noscript>",
    ],
)
def test_hidden_text_stays_out_of_both_readers(hidden: str) -> None:
    html = page(f"<p>Seen, {LONG}.</p>", hidden, f"<p>After, {LONG}.</p>")
    assert "trap" not in page_text(html)
    found = main_content(html, "markdown", URL)
    assert "trap" not in found.content
    assert "After" in page_text(html)
    assert "After" in found.content
    assert "1 passage that the page hides from its readers" in found.left_out


@pytest.mark.parametrize(
    "seen",
    [
        "<p class='x on'>text</p>",
        "<p>text</p>",
        "<p style='color:#fff;background:#036'>text</p>",
        "<p style='font-size:1em'>text</p>",
        "<p aria-hidden=true>text</p>",
        "<p style='visibility:hidden'>no <b style='visibility:visible'>text</b></p>",
        "<p style='font-size:0'>no <b style='font-size:12px'>text</b></p>",
        "<details><summary>more</summary><p>text</p></details>",
        "<dialog open>text</dialog>",
    ],
)
def test_what_is_seen_is_kept(seen: str) -> None:
    html = page(f"<p>Seen, {LONG}.</p>", seen)
    assert "text" in page_text(html)
    assert "no" not in page_text(html).split()


def test_white_text_counts_as_seen_where_a_foreign_style_sheet_may_colour_what_is_behind() -> None:
    html = page("<p style='color:#fff'>text</p>", head="<link rel=stylesheet href=/a.css>")
    assert "text" in page_text(html)


def test_links_are_relative_to_the_base_and_keep_the_scheme() -> None:
    links = "<a href='z'>one</a> <a href='//cdn.example/z'>two</a> <a href='/w'>three</a>"
    html = page(*(f"<p>Seen {links} {LONG}.</p>" for _ in range(4)), head="<base href='/sub/'>")
    for text in (main_content(html, "markdown", URL).content, page_text(html, URL)):
        assert "[one](https://a.example/sub/z)" in text
        assert "[two](https://cdn.example/z)" in text
        assert "[three](https://a.example/w)" in text
    without = page(f"<p>Seen {links} {LONG}.</p>", head="")
    assert "[one](https://a.example/x/z)" in main_content(without, "markdown", URL).content


def test_pictures_frames_and_what_stands_around_are_said() -> None:
    menu = (
        "<nav>" + "".join(f"<a href='/{number}'>Menu number {number}</a> " for number in range(60)) + "</nav>"
    )
    html = (
        f"<html><body>{menu}<article>"
        + "".join(f"<p>Seen {number}, {LONG}.</p>" for number in range(4))
        + "<img src=a.png alt='A cup'><iframe src='/frame'></iframe></article></body></html>"
    )
    left_out = main_content(html, "text", URL).left_out
    assert left_out[:2] == ["1 picture", "pages in frames: https://a.example/frame"]
    assert "all outside of the main part" in left_out[2]


def test_a_sheet_without_end_costs_no_more_than_its_limits() -> None:
    rules = "".join(f"a .b{number} .c {{display:none}}" for number in range(20_000))
    html = page(*["<p class=c>text</p>"] * 200, head=f"<style>{rules}</style>")
    assert "text" in page_text(html)
