"""`github_get_commit_diff`."""

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.github.service import GITHUB, NEEDS, Ref, Repo, cut


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
async def github_get_commit_diff(args: GithubGetCommitDiff, egress: AgentEgress) -> Text:
    """Read what a commit of a GitHub repository changed."""
    path = f"/repos/{args.repo}/commits/{quote(args.ref, safe='')}"
    answer = await asked(GITHUB, egress, Ask(path, accept="application/vnd.github.diff"))
    diff = answer.body.decode("utf-8", "replace")
    return Text(text=cut(diff, args.max_chars) or f"{args.ref} changed nothing.")
