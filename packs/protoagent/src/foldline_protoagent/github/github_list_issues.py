"""`github_list_issues`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked, objects_of
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.github.service import GITHUB, NEEDS, Repo, labels, who

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
async def github_list_issues(args: GithubListIssues, egress: AgentEgress) -> Text:
    """List the issues of a GitHub repository, the newest first."""
    path = f"/repos/{args.repo}/issues?state={args.state}&per_page={_PAGE}"
    issues = [
        one for one in objects_of(GITHUB, await asked(GITHUB, egress, Ask(path))) if "pull_request" not in one
    ][: args.limit]
    lines = [
        f"#{one.get('number')} [{one.get('state')}] {one.get('title')} ({who(one.get('user'))}){labels(one)}"
        for one in issues
    ]
    return Text(text="\n".join(lines) or f"No {args.state} issues in {args.repo}.".replace("all ", ""))
