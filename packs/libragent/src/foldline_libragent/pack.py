"""What the pack is."""

from agent_contracts.packs import PromptText
from agent_tools.pack import PackDeclaration
from foldline_libragent.content_store.storing import STATUS

PACK = PackDeclaration(
    title="LibrAgent",
    purpose="Content store, workspace, planning, playbooks and browser sessions.",
    prompt=(
        "For work of several steps, keep a plan: `create_goal`, `add_todo`, and `mark_todo` as you go on; "
        "you see it at each step. Look in `list_playbooks` whether you know the way, and write down one that "
        "worked. What you read that is long or is needed again, keep by `addContent`, and find it by "
        "`keywordSimilaritySearch` or `semanticSimilaritySearch`, which give the lines. `createSession` "
        "opens a page in a browser; the other browser tools take its sessionId."
    ),
    texts=(
        PromptText("plan", "This session's plan", is_plan=True),
        STATUS,
        PromptText("workspace", "Workspace Server Status", works_on_files=("files", "code", "execution")),
    ),
)
