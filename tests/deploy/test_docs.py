"""The documents name what exists: files, links, commands and their options, make targets, settings."""

import re
import subprocess
from pathlib import Path

import pytest
import typer
import typer.main
from typer.core import TyperGroup

from agent_platform.nats.stream_configs import StreamSettings, stream_configs
from agent_platform.settings.sources import variable
from foldline.cli.main import app
from foldline.settings import load

REPOSITORY = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for folder in (
        ".",
        "docs",
        "docs/adr",
        "docs/api",
        "docs/extend",
        "docs/operate",
        "bench/peers",
        "tests/recorded",
    )
    for path in (REPOSITORY / folder).glob("*.md")
)
ADRS = sorted(REPOSITORY.glob("docs/adr/[0-9]*.md"))
DOCS = REPOSITORY / "docs"
DEMO = REPOSITORY / "libs/demo_model/src/demo_model/demo.yaml"
"""What the demo model says: people type what it names."""
GUIDES = ("map.md", "how-it-works.md", "where-to-change.md")
FILES = subprocess.check_output(["git", "ls-files"], cwd=REPOSITORY, text=True).splitlines()
COMMANDS = typer.main.get_command(app)
NOT_SETTINGS = {
    *("FOLDLINE_URL", "FOLDLINE_MCP_TOKEN", "FOLDLINE_PUBLISH", "FOLDLINE_MODEL_CALLER"),
    *("FOLDLINE_NATS_PASSWORD_ENGINE", "FOLDLINE_TELEGRAM_TOKEN", "FOLDLINE_TELEGRAM_URL"),
}
"""Read by the command line; by docker-compose.yml; by nats-server; by the example of a chat channel."""

each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
each_adr = pytest.mark.parametrize("path", ADRS, ids=lambda path: path.stem)


SETTINGS = {variable(field) for field in load(environ={}).fields}


def code_lines(text: str) -> list[str]:
    """Commands as a reader would type them: lines of code blocks, without comments and variables in front."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [
        re.split(r"\s{2,}[#(]|\s+#\s", line)[0].strip() for block in blocks for line in block.splitlines()
    ]
    return [re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line) for line in lines]


def heading_anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands_in(text: str) -> list[str]:
    inline = re.findall(r"`(foldline [^`]+)`", text)
    return [line for line in [*code_lines(text), *inline] if line.startswith("foldline ")]


@each_document
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if target.startswith("http"):
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), target
        if anchor:
            assert anchor in heading_anchors(linked.read_text()), target


@pytest.mark.parametrize("path", [*DOCUMENTS, DEMO], ids=lambda path: path.name)
def test_commands_and_their_options_exist(path: Path) -> None:
    assert isinstance(COMMANDS, TyperGroup)
    for line in commands_in(re.sub(r"^ +(?=foldline |```)", "", path.read_text(), flags=re.MULTILINE)):
        if "…" in line or "|" in line:
            continue
        name, *rest = line.removeprefix("foldline ").split()
        command = COMMANDS.get_command(typer.Context(COMMANDS), name)
        assert command, line
        options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        assert {word for word in rest if word.startswith("-")} <= options, line


@each_document
def test_make_targets_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    text = path.read_text()
    named = [
        line for line in [*code_lines(text), *re.findall(r"`(make [^`]+)`", text)] if line.startswith("make ")
    ]
    for line in named:
        asked = [word for word in line.split()[1:] if "=" not in word]
        assert set(asked) <= targets, line


@each_document
def test_settings_exist(path: Path) -> None:
    named = set(re.findall(r"\b(?:FOLDLINE|OTEL)_[A-Z_]+[A-Z]\b", path.read_text()))
    unknown = {name for name in named - SETTINGS if name.removesuffix("_FILE") not in SETTINGS}
    assert unknown <= NOT_SETTINGS


def test_every_setting_is_explained() -> None:
    table = (REPOSITORY / "docs" / "operations.md").read_text()
    assert {name for name in SETTINGS if f"`{name}`" not in table} == set()


@each_adr
def test_a_decision_names_the_checks_that_enforce_it(path: Path) -> None:
    text = path.read_text()
    assert re.match(rf"# {path.name[:4]}\. .+\n\n\*\*Status:\*\* \w+(?s:.+?)\n\*\*Area:\*\* \w+", text)
    _, _, checks = text.partition("## Check\n")
    files = re.findall(r"`((?:apps|libs|packs|services|tests|docs)/[^`]+|pyproject\.toml)`", checks)
    assert files
    assert [file for file in files if not (REPOSITORY / file).exists()] == []


@each_adr
def test_a_decision_fits_on_a_page(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 70


def test_the_index_of_decisions_is_what_their_files_say() -> None:
    checked = subprocess.run(
        [REPOSITORY / "scripts/adr-index", "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


@each_document
def test_files_that_a_document_names_are_there(path: Path) -> None:
    text = path.read_text()
    named = re.findall(r"`((?:apps|libs|packs|services|tests|docs|deploy|bench)/[^`\s{<*]+)`", text)
    assert [file for file in named if not (REPOSITORY / file).exists()] == []


@pytest.mark.parametrize("name", GUIDES)
def test_modules_that_a_guide_names_are_there(name: str) -> None:
    """`projector/rows/at.py` is below some `src`, `ui/…` is `services/ui/src/…`."""
    named = re.findall(
        r"`((?:[\w.-]+/)*[\w.-]*(?:/|\.(?:py|tsx?|js|sql|toml|md)))`", (DOCS / name).read_text()
    )
    assert len(named) > 10  # it looks at something
    places = [re.sub(r"^ui/(?=.)", "services/ui/src/", path) for path in named]
    missing = [path for path in places if not any(f"/{path}" in f"/{file}" for file in FILES)]
    assert missing == []


def test_every_bucket_and_stream_is_explained() -> None:
    streams = stream_configs(StreamSettings())
    names = {str(one["name"]).removeprefix("KV_").removeprefix("OBJ_") for one in streams}
    text = (DOCS / "how-it-works.md").read_text()
    assert {name for name in names if f"`{name}`" not in text} == set()


@each_document
def test_lines_are_short_enough_to_read_in_a_terminal(path: Path) -> None:
    long = [line for line in path.read_text().splitlines() if len(line) > 100 and not line.startswith("|")]
    assert long == []
