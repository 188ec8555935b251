"""Services of somebody else's that are broken are said, and break nothing else; so are mistyped variables."""

import os
from pathlib import Path

import pytest

from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack

_DECLARED = """
from agent_platform.nats.rights import Rights
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import ServiceSettings

DECLARATION = ServiceDeclaration(
    name="{name}",
    entry="{name}_service.app:serve",
    settings=ServiceSettings,
    nats_user="{name}",
    rights=Rights(),
)
"""
_APP = """
from agent_contracts.errors import Rejected


async def serve(settings):
    raise {error}
"""
BAD = {
    "unreadable": ("raise RuntimeError('no such luck')", ""),
    "absent": (_DECLARED.format(name="absent"), "import a_module_that_is_nowhere"),
    "failing": (_DECLARED.format(name="failing"), _APP.format(error="ValueError('a bug')")),
    "refusing": (_DECLARED.format(name="refusing"), _APP.format(error="Rejected('not so')")),
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which all four are installed."""
    folder = tmp_path_factory.mktemp("site")
    for name, (service, app) in BAD.items():
        package, info = folder / f"{name}_service", folder / f"{name}_service-1.0.dist-info"
        package.mkdir()
        info.mkdir()
        (package / "__init__.py").touch()
        (package / "service.py").write_text(service)
        (package / "app.py").write_text(app)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-service\nVersion: 1.0\n")
        entry = f"[foldline.services]\n{name} = {name}_service.service:DECLARATION\n"
        (info / "entry_points.txt").write_text(entry)
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}


@pytest.mark.parametrize("processes", [False, True])
def test_up_runs_the_rest(installed: dict[str, str], tmp_path: Path, processes: bool) -> None:
    with Stack(tmp_path / "data", processes=processes, env=installed) as stack:
        sent = Command(tmp_path / "data", tmp_path)("send", "hello", "--json")
        assert sent.code == 0, sent.err
        said = stack.log
        assert "the service 'unreadable' can't be loaded" in said
        assert "no such luck" in said
        assert "It is left out; the rest runs" in said
        for name in ("absent", "failing", "refusing"):
            assert f"service={name}" in said or f"{name}: " in said, name
        assert len(said) < 100_000, "it says so again and again"


def test_config_and_doctor_say_which_can_not_be_loaded(installed: dict[str, str], tmp_path: Path) -> None:
    done = Command(tmp_path / "data", tmp_path).start("config", **installed)
    out, err = done.communicate(timeout=100)
    assert done.returncode == 0
    assert "FOLDLINE_PORT" in out
    assert "the service 'unreadable' can't be loaded" in err


def test_a_mistyped_variable_is_named_with_the_nearest_by_any_command(tmp_path: Path) -> None:
    foldline = Command(tmp_path / "data", tmp_path)
    for name, meant in (("FOLDLINE_TOKN", "FOLDLINE_TOKEN"), ("FOLDLINE_ULR", "FOLDLINE_URL")):
        done = foldline("sessions", **{name: "x"})
        assert (
            f"No setting is named {name}, so it changes nothing. Did you mean {meant}?"
            in done.err.replace("\n", " ")
        )
