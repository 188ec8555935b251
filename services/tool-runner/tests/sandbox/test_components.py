"""Pages are checked as they will be read: by their syntax, what they import, and what they export."""

import pytest

from tool_runner.code.runs import SandboxCodeCheck
from tool_runner.sandbox.problems import CodeProblem
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

PAGES = {
    "a function": "export default function Page({ n = 1 }: { n?: number }) {\n  return <p>{n}</p>;\n}",
    "an arrow": "export default () => <><Card title='a'>b</Card></>",
    "a class": "import React from 'react'\nexport default class extends React.Component { render() { return null } }",
    "a name": "function Page() { return <a.b {...{}} /> }\nexport { Page as default }",
    "hooks imported": "import { useState } from 'react'\nexport default () => useState<string>('é')[0]",
    "types imported": "import type { A } from 'anywhere'\nexport default (_: A) => null",
}
NO_PAGES = {
    "a bracket left open": ("export default () => {\n  return (<p>\n{a b}</p>)\n}", "Unexpected token", 3, 4),
    "tags that don't match": ("export default () => <div>\n</p>", "closing tag for <div>", 2, 1),
    "no expression": ("const a = 1\nlet b = ;\nexport default b", "Unexpected token", 2, 9),
    "a name declared twice": ("let a = 1\nlet a = 2\nexport default a", "already been declared", 2, 5),
    "an import": ("\nimport x from 'lodash'\nexport default x", 'can\'t import "lodash"', 2, 1),
    "nothing exported": ("function Page() { return null }", "no component is exported", 1, 1),
    "nothing": ("", "no component is exported", 1, 1),
}


@pytest.mark.parametrize("code", PAGES.values(), ids=PAGES.keys())
async def test_a_page_has_no_problem(sandbox: Sandbox, code: str) -> None:
    assert await SandboxCodeCheck(sandbox).problem(code, "component") is None


@pytest.mark.parametrize(("code", "words", "line", "column"), NO_PAGES.values(), ids=NO_PAGES.keys())
async def test_what_is_no_page_is_told_where(
    sandbox: Sandbox, code: str, words: str, line: int, column: int
) -> None:
    problem = await SandboxCodeCheck(sandbox).problem(code, "component")
    assert problem is not None
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)


@pytest.mark.parametrize(
    "code", ["<a>" * 50_000, "(" * 200_000, "export default " + "[" * 100_000], ids=["tags", "calls", "lists"]
)
async def test_what_is_too_deep_to_read_is_refused_and_the_next_is_read(sandbox: Sandbox, code: str) -> None:
    assert isinstance(await SandboxCodeCheck(sandbox).problem(code, "component"), CodeProblem)
    assert await SandboxCodeCheck(sandbox).problem("export default () => null", "component") is None
