"""Each kind of thing is declared once, and no table by kind is written by hand."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import ENGINE
from agent_contracts.kinds.kind import AnyKind
from agent_contracts.kinds.registry import KINDS

REPOSITORY = Path(__file__).parents[3]
EXCEPTIONS = {
    "services/gateway/src/gateway/operations/sessions/exports.py": "a file and its path are one thing",
    "services/mcp-host/src/mcp_host/calling/foreign_tools.py": "a server and its tools are one thing",
    "services/session-engine/src/session_engine/imports/workspace.py": "a file and its path are one thing",
    "services/tool-runner/src/tool_runner/code/foreign.py": "a server and its tools are one thing",
}
"""Where two kinds stand beside each other in a literal, and why that isn't a table by kind."""


@pytest.mark.parametrize("kind", EntityKind)
def test_each_kind_is_declared_in_its_own_file(kind: EntityKind) -> None:
    assert KINDS[kind].kind is kind
    assert Path(f"{REPOSITORY}/libs/agent_contracts/src/agent_contracts/kinds/{kind.value}.py").is_file()


@pytest.mark.parametrize("one", KINDS.values(), ids=KINDS)
def test_engines_write_what_a_rewind_takes_back_and_nothing_that_stays(one: AnyKind) -> None:
    goes_along = one.kind in (EntityKind.PATH, EntityKind.REWIND)
    assert (ENGINE in one.writers) == (one.is_restored or one.with_session or goes_along)


@pytest.mark.parametrize("one", KINDS.values(), ids=KINDS)
def test_a_probe_has_nothing_that_acts_and_nothing_that_no_rewind_takes_back(one: AnyKind) -> None:
    assert not (one.copied_by_probes and (one.acts or one.stays))


def test_tables_by_kind_derive_from_the_declarations() -> None:
    sources = [path for path in REPOSITORY.glob("*/*/src/**/*.py") if path.parent.name != "kinds"]
    assert len(sources) > 1_000
    found = {str(path.relative_to(REPOSITORY)) for path in sources if any(_tables(path))}
    assert found == set(EXCEPTIONS), "say it in agent_contracts/kinds, and derive the table from `KINDS`"


def _tables(path: Path) -> Iterator[int]:
    """The lines of the literals that name two or more kinds."""
    source = path.read_text(encoding="utf-8")
    if source.count("EntityKind.") < 2:
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Dict(keys=among):
                members = [one for one in among if one is not None]
            case ast.Set(elts=members) | ast.List(elts=members) | ast.Tuple(elts=members):
                pass
            case _:
                continue
        if sum(_is_kind(one) for one in members) >= 2:
            yield node.lineno


def _is_kind(node: ast.expr) -> bool:
    """Whether it is `EntityKind.X`, or its value."""
    match node:
        case ast.Attribute(value=ast.Name(id="EntityKind")):
            return True
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="EntityKind")), attr="value"):
            return True
        case _:
            return False
