"""What a person is shown before they say yes, on a terminal."""

import json

from foldline.cli.sessions.shown import exact


def test_what_cannot_be_seen_of_a_calls_arguments_is_spelled_out() -> None:
    arguments = {"url": "https://exam\u200bple.com/\u202emoc", "note": "für Ann, 日本"}
    told = exact(arguments)
    assert told == '{"url": "https://exam\\u200bple.com/\\u202emoc", "note": "für Ann, 日本"}'
    assert json.loads(told) == arguments
