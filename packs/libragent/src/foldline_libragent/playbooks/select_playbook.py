"""`select_playbook`: follow one now."""

from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.playbooks.reading import found
from foldline_libragent.playbooks.shapes import Playbook, PlaybookId, shown


class SelectPlaybook(Arguments):
    """Which one."""

    id: PlaybookId


class Selected(Result):
    """The playbook, and in words what to do with it."""

    playbook: Playbook
    instructions: str


@tool("select_playbook", family="playbooks", effect=PURE)
async def select_playbook(args: SelectPlaybook, definitions: AgentDefinitions) -> Selected:
    """Choose a playbook to follow in this session: its steps, as instructions."""
    playbook = shown(await found(definitions, args.id))
    lines = [f"Reach this goal: {playbook.goal}"]
    for number, step in enumerate(playbook.workflow, 1):
        needs = f" It needs {', '.join(step.required_data)}." if step.required_data else ""
        gives = f" Call its result {step.output_variable}." if step.output_variable else ""
        with_tool = f"With {step.action.tool_name}: {step.action.purpose}."
        lines.append(f"{number}. {step.description} {with_tool}{needs}{gives}")
    if playbook.success_criteria:
        lines.append(f"It worked if: {playbook.success_criteria}")
    return Selected(playbook=playbook, instructions="\n".join(lines))
