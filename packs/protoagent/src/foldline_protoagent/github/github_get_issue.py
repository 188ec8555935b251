"""`github_get_issue`."""

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked, object_of
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.github.service import GITHUB, LONGEST_BODY, NEEDS, Number, Repo, cut, labels, who


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
async def github_get_issue(args: GithubGetIssue, egress: AgentEgress) -> Text:
    """Read an issue of a GitHub repository."""
    issue = object_of(GITHUB, await asked(GITHUB, egress, Ask(f"/repos/{args.repo}/issues/{args.number}")))
    comments = f"{issue.get('comments', 0)} comments"
    about = f"state: {issue.get('state')} · author: {who(issue.get('user'))} · {comments}"
    body = cut(str(issue.get("body") or "(no description)"), LONGEST_BODY)
    head = f"#{args.number} {issue.get('title')}\n{about}{labels(issue)}\n{issue.get('html_url')}"
    return Text(text=f"{head}\n\n{body}")
