"""The main content of a page, as an article's reader wants it."""

from collections.abc import Mapping

import trafilatura

from agent_contracts.json_value import Json
from egress.charset import decoded
from tool_runner.documents.jobs import Inputs, Made, load_codecs
from tool_runner.documents.page_text import page_text

_FORMATS = {"markdown": "markdown", "text": "txt", "html": "html"}
_PAGE = b"<html><head><title>t</title></head><body><article><p>One <a href='/x'>two</a>.</p></article></body>"


def read_page(inputs: Inputs, options: Mapping[str, Json]) -> Made:
    """Its `title`, `byline` and `content` in the wanted `format` (`markdown`, `text` or `html`).

    A page in which no main content is found gives all of its text. `content_type` and `truncated` tell how it
    came, `url` what its links are relative to.
    """
    [data] = inputs
    text = decoded(data, str(options.get("content_type", "")), truncated=bool(options.get("truncated")))
    tree = trafilatura.load_html(text) if text.strip() else None
    if tree is None:  # too short, or too deep for a tree
        return Made({"title": None, "byline": None, "content": page_text(text)})
    url = str(options.get("url", "")) or None
    about = trafilatura.extract_metadata(tree, default_url=url, extensive=False)
    content = trafilatura.extract(
        tree,
        url=url,
        output_format=_FORMATS[str(options["format"])],
        include_links=options["format"] != "text",
        include_images=False,
        include_comments=False,
        include_tables=True,
    )
    return Made(
        {
            "title": about.title if about else None,
            "byline": about.author if about else None,
            "content": content or page_text(text),
        }
    )


def warm_up() -> None:
    """See `jobs`: each format compiles patterns of its own."""
    load_codecs()
    for form in _FORMATS:
        read_page((_PAGE,), {"format": form, "content_type": "text/html", "url": "https://a.example/"})


JOBS = {"page": read_page}
