"""A condition of a policy costs two files: what a rule can say, and what a call says of itself."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import agent_contracts
import agent_domain

HERE = Path(__file__).parent
CONDITION = (
    "agent_contracts/policies.py",
    "    added: tuple[AddedMatch",
    '    language: Annotated[_Pattern, declared("Language", "Of the code.", hint="py*", letters="small")]'
    " | None = None\n",
)
FACT = (
    "agent_domain/policies/policy_request.py",
    "    @property\n    def origin",
    "    language: str | None = None\n\n",
)


def with_a_condition(folder: Path, *, told: bool) -> None:
    """Copies of the two packages, with the lines of a new condition."""
    for package in (agent_contracts, agent_domain):
        assert package.__file__ is not None
        shutil.copytree(Path(package.__file__).parent, folder / package.__name__)
    name, before, line = CONDITION
    insert(folder / name, before, line)
    if told:
        name, before, line = FACT
        insert(folder / name, before, line)
        says = '    asked = msgspec.structs.replace(asked, language=_text(arguments, "language"))\n'
        insert(folder / name, '    url = _text(arguments, "url")\n', says)


def insert(path: Path, before: str, line: str) -> None:
    text = path.read_text()
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, line + before))


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / "new_condition.py")],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_new_condition_is_offered_kept_and_judged_by(tmp_path: Path) -> None:
    with_a_condition(tmp_path, told=True)
    ran = run(tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "offered": {"label": "Language", "help": "Of the code.", "hint": "py*", "type": "text"},
        "kept": {"language": "py*"},
        "judged": {"python": "deny", "js": "allow", "none": "allow"},
        "refused": "body/rules/0/match/language: This must be a string or null, not a whole number",
        "covers": {"python": True, "js": False},
    }


def test_a_condition_that_no_call_tells_of_stops_the_product_instead_of_fitting_everything(
    tmp_path: Path,
) -> None:
    with_a_condition(tmp_path, told=False)
    ran = run(tmp_path)
    assert ran.returncode != 0
    assert "nothing tells whether the condition language holds" in ran.stderr
