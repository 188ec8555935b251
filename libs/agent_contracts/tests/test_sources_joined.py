"""Sources of material from outside, and the files that commands touched: each once, counted, and bounded."""

import msgspec
import pytest

from agent_contracts.commands import CallCommand, Touch, TouchedFile, since
from agent_contracts.ids import SessionId
from agent_contracts.outside import (
    MOST_SOURCES,
    Source,
    host_of,
    joined,
    news,
    placed,
    source,
    unknown,
    web,
    with_news,
)

NEWS, FILE = Source("web", "news.example", "9"), Source("file", "a.csv", "10")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://News.Example:8443/a?b", "news.example"),
        ("https://user:secret@news.example/", "news.example"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("http://[::1]:80/", "::1"),
        ("http://[::1/", None),
        ("no address", None),
        ("https://", None),
        ("", None),
    ],
)
def test_a_host_is_named_as_the_net_knows_it(url: str, host: str | None) -> None:
    assert host_of(url) == host
    assert web(url) == Source("web", host or "")


def test_a_source_is_one_line_without_what_can_not_be_seen_and_no_longer_than_a_name_may_be() -> None:
    assert source("file", " a\n b\u202e.csv\x00 ").name == "a b.csv"
    assert len(source("page", "x" * 5_000).name) == 120


def test_the_same_from_another_event_counts_and_from_the_same_event_does_not() -> None:
    again = msgspec.structs.replace(NEWS, at="12")
    assert joined((NEWS,), []) == (NEWS,)
    assert joined((NEWS,), [NEWS]) == (NEWS,)
    assert joined((NEWS,), [FILE, again]) == (msgspec.structs.replace(NEWS, count=2, last="12"), FILE)


def test_of_more_than_are_told_apart_the_first_and_the_last_stay_and_the_others_are_counted_by_kind() -> None:
    many = [Source("web", f"{n}.example", str(n)) for n in range(MOST_SOURCES + 10)]
    found = joined((), many)
    half = MOST_SOURCES // 2
    assert found[:half] == tuple(many[:half])
    assert found[half + 1 :] == tuple(many[-half:])
    assert (found[half].name, found[half].kind, found[half].count) == ("", "web", 10)
    assert unknown(found, [many[half], Source("file", "a")]) == (Source("file", "a"),)


def test_what_was_told_and_what_is_new_since_come_to_what_is_there_now() -> None:
    now = (NEWS, FILE, Source("mcp", "trips", "11"))
    assert news((NEWS, FILE), now) == now[2:]
    assert with_news((NEWS, FILE), now[2:]) == now
    assert news((), now) is None, "most would have to be told anew"


def test_a_source_without_a_place_gets_that_of_its_call() -> None:
    bare = Source("web", "news.example")
    assert placed((bare, FILE), "7", SessionId("s_1")) == (
        Source("web", "news.example", "7", SessionId("s_1")),
        FILE,
    )


@pytest.mark.parametrize(
    ("earlier", "later", "both"),
    [
        ("created", "changed", "created"),
        ("created", "opened", "created"),
        ("created", "deleted", "deleted"),
        ("deleted", "created", "changed"),
        ("changed", "opened", "changed"),
        ("opened", "changed", "changed"),
        ("opened", "opened", "opened"),
    ],
)
def test_a_file_that_a_command_touched_twice_is_told_once(earlier: Touch, later: Touch, both: Touch) -> None:
    command = CallCommand("c_1", "shell", "make", "running")
    before = msgspec.structs.replace(
        command, files=(TouchedFile("z", "opened"), TouchedFile("a", earlier, 5)), more_files=1, saw_all=False
    )
    now = msgspec.structs.replace(
        command, ending="exited", exit_code=0, files=(TouchedFile("a", later, 9),), more_files=2
    )
    found = since(before, now)
    assert (found.ending, found.exit_code, found.more_files, found.saw_all) == ("exited", 0, 3, False)
    size = 5 if later == "opened" else 9
    assert sorted(found.files, key=lambda one: one.path) == [
        TouchedFile("a", both, size),
        TouchedFile("z", "opened"),
    ]
    assert both == "opened" or found.files[0].path == "a", "what changed comes first"
