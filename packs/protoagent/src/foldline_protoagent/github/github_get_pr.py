"""`github_get_pr`."""

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked, object_of
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.github.service import GITHUB, LONGEST_BODY, NEEDS, Number, Repo, cut, labels, who


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
async def github_get_pr(args: GithubGetPr, egress: AgentEgress) -> Text:
    """Read a pull request of a GitHub repository."""
    pr = object_of(GITHUB, await asked(GITHUB, egress, Ask(f"/repos/{args.repo}/pulls/{args.number}")))
    state = "merged" if pr.get("merged") else f"{pr.get('state')}{' (draft)' if pr.get('draft') else ''}"
    head, base = ((pr.get(end) or {}).get("ref") for end in ("head", "base"))
    changes = f"+{pr.get('additions', 0)} −{pr.get('deletions', 0)} in {pr.get('changed_files', 0)} files"
    about = f"state: {state} · author: {who(pr.get('user'))} · {base} ← {head} · {changes}{labels(pr)}"
    body = cut(str(pr.get("body") or "(no description)"), LONGEST_BODY)
    return Text(text=f"#{args.number} {pr.get('title')}\n{about}\n{pr.get('html_url')}\n\n{body}")
