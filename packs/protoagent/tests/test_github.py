"""GitHub as it answers: read aloud, and its refusals in our own kinds."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.ports.outside import AgentEgress
from egress.fetching import FetchRequest, FetchResponse
from foldline_testing.agent_tools.called import Called
from foldline_testing.egress.web import answered

ISSUE = {
    "number": 7,
    "title": "It leaks",
    "state": "open",
    "user": {"login": "ada"},
    "comments": 2,
    "labels": [{"name": "bug"}, {"name": "roof"}],
    "html_url": "https://github.com/o/r/issues/7",
    "body": "Since Monday.",
}
PR = {
    "title": "Mend it",
    "state": "open",
    "draft": True,
    "merged": False,
    "user": None,
    "base": {"ref": "main"},
    "head": {"ref": "mend"},
    "additions": 3,
    "deletions": 1,
    "changed_files": 2,
    "html_url": "https://github.com/o/r/pull/8",
    "body": None,
}
WorldOf = Callable[..., Called]


def says(document: Any, *headers: str, status: int = 200) -> bytes:
    """An answer of JSON."""
    return answered(json.dumps(document).encode(), "Content-Type: application/json", *headers, status=status)


async def test_an_issue_and_a_pull_request_are_read_aloud(world_of: WorldOf, recorded: Any) -> None:
    github = await recorded(says(ISSUE), says(PR))
    called = world_of(egress=github)
    assert await called.text("github_get_issue", repo="o/r", number=7) == (
        "#7 It leaks\nstate: open · author: ada · 2 comments · labels: bug, roof\n"
        "https://github.com/o/r/issues/7\n\nSince Monday."
    )
    assert await called.text("github_get_pr", repo="o/r", number=8) == (
        "#8 Mend it\nstate: open (draft) · author: ghost · main ← mend · +3 −1 in 2 files\n"
        "https://github.com/o/r/pull/8\n\n(no description)"
    )
    assert [one.url for one in github.asked] == [
        "https://api.github.com/repos/o/r/issues/7",
        "https://api.github.com/repos/o/r/pulls/8",
    ]
    assert ("Authorization", "Bearer {{secret:GITHUB_TOKEN}}") in github.asked[0].headers


async def test_pull_requests_are_not_listed_among_issues(world_of: WorldOf, recorded: Any) -> None:
    github = await recorded(says([ISSUE, {**ISSUE, "number": 8, "pull_request": {}}]), says([]))
    called = world_of(egress=github)
    assert (
        await called.text("github_list_issues", repo="o/r") == "#7 [open] It leaks (ada) · labels: bug, roof"
    )
    assert await called.text("github_list_issues", repo="o/r", state="all") == "No issues in o/r."
    assert "state=open" in github.asked[0].url


async def test_a_diff_is_cut_where_it_is_too_long(world_of: WorldOf, recorded: Any) -> None:
    github = await recorded(answered(b"x" * 9_000), answered(b"+ short"))
    called = world_of(egress=github)
    diff = await called.text("github_get_commit_diff", repo="o/r", ref="feature/a")
    assert diff == "x" * 8_000 + "\n…[truncated]"
    assert await called.text("github_get_commit_diff", repo="o/r", ref="v1") == "+ short"
    assert github.asked[0].url == "https://api.github.com/repos/o/r/commits/feature%2Fa"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (says({"message": "Bad credentials"}, status=401), ErrorKind.BLOCKED, "It says: Bad credentials"),
        (says({"message": "Not Found"}, status=404), ErrorKind.NOT_FOUND, "there is no such thing"),
        (says({}, "Retry-After: 60", status=429), ErrorKind.UPSTREAM, "try again after 60 s"),
        (says({}, "X-RateLimit-Remaining: 0", status=403), ErrorKind.UPSTREAM, "rate limit"),
        (says({"message": "No"}, status=403), ErrorKind.BLOCKED, "may not do this"),
        (says("gone wrong", status=502), ErrorKind.UPSTREAM, "GitHub answered 502"),
        (says({"message": "Validation"}, status=422), ErrorKind.UPSTREAM, "GitHub answered 422"),
        (answered(b"<html>"), ErrorKind.UPSTREAM, "something that is not JSON"),
        (says([1, 2]), ErrorKind.UPSTREAM, "another shape"),
    ],
)
async def test_what_github_refuses_is_an_error_that_says_why(
    world_of: WorldOf, recorded: Any, answer: bytes, kind: str, words: str
) -> None:
    called = world_of(egress=await recorded(answer))
    found, message, _ = await called.error("github_get_issue", repo="o/r", number=7)
    assert found == kind
    assert message.startswith("Error: GitHub ")
    assert words in message


class WithoutSecrets:
    """A way out of an agent that was given no secrets."""

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """See `AgentEgress`."""
        raise Rejected("there is no secret named 'GITHUB_TOKEN'", kind=ErrorKind.NOT_FOUND)


async def test_without_a_token_a_call_says_what_to_add_and_where(world_of: WorldOf) -> None:
    nowhere: AgentEgress = WithoutSecrets()
    kind, message, _ = await world_of(egress=nowhere).error("github_get_pr", repo="o/r", number=1)
    assert kind == ErrorKind.NOT_AVAILABLE
    assert message.startswith("Error: GitHub needs the secret GITHUB_TOKEN")
    assert message.endswith("for the host api.github.com")


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("github_get_pr", {"number": 1}, "/repo"),
        ("github_get_pr", {"repo": "o/r"}, "/number"),
        ("github_get_pr", {"repo": "o/r", "number": 0}, "/number"),
        ("github_get_pr", {"repo": "o/r", "number": 1, "owner": "o"}, "/owner"),
        ("github_get_issue", {"repo": "o", "number": 1}, "/repo"),
        ("github_get_issue", {"repo": "o/..", "number": 1}, "/repo"),
        ("github_get_issue", {"repo": "o/r?x", "number": 1}, "/repo"),
        ("github_get_issue", {"repo": "o/r", "number": "1"}, "/number"),
        ("github_list_issues", {}, "/repo"),
        ("github_list_issues", {"repo": "o/r", "state": "merged"}, "/state"),
        ("github_list_issues", {"repo": "o/r", "label": "x"}, "/label"),
        ("github_get_commit_diff", {"repo": "o/r"}, "/ref"),
        ("github_get_commit_diff", {"repo": "o/r", "ref": "../x"}, "/ref"),
        ("github_get_commit_diff", {"repo": "o/r", "ref": "a b"}, "/ref"),
        ("github_get_commit_diff", {"repo": "o/r", "ref": "a", "max_chars": 0}, "/max_chars"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named_before_anything_is_asked(
    world_of: WorldOf, recorded: Any, tool: str, arguments: dict[str, Any], path: str
) -> None:
    github = await recorded()
    kind, _, where = await world_of(egress=github).error(tool, **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert github.asked == []
