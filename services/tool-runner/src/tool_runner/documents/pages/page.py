"""The main content of a page, as an article's reader wants it."""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from agent_contracts.json_value import Json
from agent_tools.pages.main_content import main_content
from agent_tools.pages.page_form import PageForm
from egress.charset import decoded
from tool_runner.documents.jobs import Inputs, JobOutput, load_codecs

_FORMS = get_args(PageForm)
_PAGE = b"<html><head><title>t</title></head><body><article><p>One <a href='/x'>two</a>.</p></article></body>"


def read_page(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content` in the wanted `format` (`markdown`, `text` or `html`).

    A page in which no main content is found gives all of its text. `content_type` and `truncated` tell how it
    came, `url` what its links are relative to.
    """
    [data] = inputs
    text = decoded(data, str(options.get("content_type", "")), truncated=bool(options.get("truncated")))
    form: Any = options["format"]
    url = str(options.get("url", "")) or None
    return JobOutput(msgspec.to_builtins(main_content(text, form, url)))


def warm_up() -> None:
    """See `jobs`: each format compiles patterns of its own."""
    load_codecs()
    for form in _FORMS:
        read_page((_PAGE,), {"format": form, "content_type": "text/html", "url": "https://a.example/"})


JOBS = {"page": read_page}
