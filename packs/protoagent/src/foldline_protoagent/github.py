"""what stands on GitHub"""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import AfterValidator, Field

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import RestRequest, RestService, asked, object_of, objects_of
from agent_tools.text import TextResult
from agent_tools.tool import EXTERNAL, Arguments, tool

GITHUB = RestService(
    name="GitHub",
    url="https://api.github.com",
    secret="GITHUB_TOKEN",
    scheme="Bearer",
    headers=(("X-GitHub-Api-Version", "2022-11-28"), ("User-Agent", "Foldline")),
)
NEEDS = (f"secret:{GITHUB.secret}",)
LONGEST_BODY = 8_000
"""Characters of what somebody wrote in an issue."""


def _no_step_up(text: str) -> str:
    if ".." in text or text.endswith("/."):
        raise ValueError("must not hold a step up")
    return text


Repo = Annotated[
    str,
    AfterValidator(_no_step_up),
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$", description="owner/name"),
]
Ref = Annotated[
    str,
    AfterValidator(_no_step_up),
    Field(min_length=1, max_length=250, pattern=r"^[^\s?#]+$", description="A commit, a branch or a tag."),
]
Number = Annotated[int, Field(ge=1, le=2**31, description="Its number.")]


def who(part: Any) -> str:
    """The login of an account, which may be gone."""
    return str((part or {}).get("login") or "ghost")


def cut(text: str, most: int) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= most else f"{text[:most]}\n…[truncated]"


def labels(issue: Any) -> str:
    """Its labels in words; empty if it has none."""
    names = [str(one.get("name", "")) for one in issue.get("labels") or [] if isinstance(one, dict)]
    return f" · labels: {', '.join(names)}" if names else ""


class GithubGetCommitDiff(Arguments):
    """Of which commit."""

    repo: Repo
    ref: Ref
    max_chars: Annotated[int, Field(ge=1, le=200_000, description="Of the diff.")] = 8_000


@tool(
    "github_get_commit_diff",
    family="github",
    effect=EXTERNAL,
    timeout_s=45,
    source="web",
    needs=NEEDS,
    fixed_host=GITHUB.asked_by(),
)
async def github_get_commit_diff(args: GithubGetCommitDiff, egress: AgentEgress) -> TextResult:
    """Read what a commit of a GitHub repository changed."""
    path = f"/repos/{args.repo}/commits/{quote(args.ref, safe='')}"
    answer = await asked(GITHUB, egress, RestRequest(path, accept="application/vnd.github.diff"))
    diff = answer.body.decode("utf-8", "replace")
    return TextResult(text=cut(diff, args.max_chars) or f"{args.ref} changed nothing.")


class GithubGetIssue(Arguments):
    """Which."""

    repo: Repo
    number: Number


@tool(
    "github_get_issue",
    family="github",
    effect=EXTERNAL,
    timeout_s=45,
    source="web",
    needs=NEEDS,
    fixed_host=GITHUB.asked_by(),
)
async def github_get_issue(args: GithubGetIssue, egress: AgentEgress) -> TextResult:
    """Read an issue of a GitHub repository."""
    issue = object_of(
        GITHUB, await asked(GITHUB, egress, RestRequest(f"/repos/{args.repo}/issues/{args.number}"))
    )
    comments = f"{issue.get('comments', 0)} comments"
    about = f"state: {issue.get('state')} · author: {who(issue.get('user'))} · {comments}"
    body = cut(str(issue.get("body") or "(no description)"), LONGEST_BODY)
    head = f"#{args.number} {issue.get('title')}\n{about}{labels(issue)}\n{issue.get('html_url')}"
    return TextResult(text=f"{head}\n\n{body}")


class GithubGetPr(Arguments):
    """Which."""

    repo: Repo
    number: Number


@tool(
    "github_get_pr",
    family="github",
    effect=EXTERNAL,
    timeout_s=45,
    source="web",
    needs=NEEDS,
    fixed_host=GITHUB.asked_by(),
)
async def github_get_pr(args: GithubGetPr, egress: AgentEgress) -> TextResult:
    """Read a pull request of a GitHub repository."""
    pr = object_of(
        GITHUB, await asked(GITHUB, egress, RestRequest(f"/repos/{args.repo}/pulls/{args.number}"))
    )
    state = "merged" if pr.get("merged") else f"{pr.get('state')}{' (draft)' if pr.get('draft') else ''}"
    head, base = ((pr.get(end) or {}).get("ref") for end in ("head", "base"))
    changes = f"+{pr.get('additions', 0)} −{pr.get('deletions', 0)} in {pr.get('changed_files', 0)} files"
    about = f"state: {state} · author: {who(pr.get('user'))} · {base} ← {head} · {changes}{labels(pr)}"
    body = cut(str(pr.get("body") or "(no description)"), LONGEST_BODY)
    return TextResult(text=f"#{args.number} {pr.get('title')}\n{about}\n{pr.get('html_url')}\n\n{body}")


_MOST = 50
_PAGE = 100
"""Pull requests come among the issues, and are left out: more are asked for than are shown."""


class GithubListIssues(Arguments):
    """Of which repository, and which."""

    repo: Repo
    state: Literal["open", "closed", "all"] = "open"
    limit: Annotated[
        int, AfterValidator(lambda n: max(1, min(n, _MOST))), Field(description="At most so many, 1 to 50.")
    ] = 20


@tool(
    "github_list_issues",
    family="github",
    effect=EXTERNAL,
    timeout_s=45,
    source="web",
    needs=NEEDS,
    fixed_host=GITHUB.asked_by(),
)
async def github_list_issues(args: GithubListIssues, egress: AgentEgress) -> TextResult:
    """List the issues of a GitHub repository, the newest first."""
    path = f"/repos/{args.repo}/issues?state={args.state}&per_page={_PAGE}"
    issues = [
        one
        for one in objects_of(GITHUB, await asked(GITHUB, egress, RestRequest(path)))
        if "pull_request" not in one
    ][: args.limit]
    lines = [
        f"#{one.get('number')} [{one.get('state')}] {one.get('title')} ({who(one.get('user'))}){labels(one)}"
        for one in issues
    ]
    return TextResult(text="\n".join(lines) or f"No {args.state} issues in {args.repo}.".replace("all ", ""))
