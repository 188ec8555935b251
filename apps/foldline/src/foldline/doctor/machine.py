"""Checks of this machine: versions, disk, clock, Chromium, the data directory."""

import platform
import shutil
import stat
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from agent_contracts.errors import Failure, Rejected
from agent_platform.process.interpreter import has_pgo, interpreter
from agent_platform.services.embedded.nats_server import find_nats_server
from agent_platform.services.embedded.postgres_binaries import find_postgres
from agent_platform.settings.loading import AllSettings
from browser_pool.chromium.confining import examine, remedy_of
from browser_pool.chromium.finding import find_chromium
from egress.proxies.proxies import proxies_from
from foldline.disk_room import DiskRoom
from foldline.doctor.finding import Finding, ok, problem, warning
from foldline.settings import UpSettings
from foldline.unused_settings import unused_settings
from tool_runner.sandbox.compiled import FOLDER
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.sandbox.trial import try_sandbox
from workspace_host.isolation.isolation import REMEDY, isolation_here


def versions() -> Finding:
    """What runs here."""
    text = ", ".join([f"foldline {version('foldline')}", interpreter(), platform.platform()])
    return ok(
        "versions", text if has_pgo() else f"{text}. A Python with PGO does about a sixth more a second"
    )


def servers(settings: UpSettings) -> Finding:
    """Whether the embedded servers' programs are there, where they are needed."""
    try:
        if settings.nats_url is None:
            find_nats_server()
        if settings.postgres_dsn is None:
            find_postgres()
    except Rejected as missing:
        return problem("servers", missing.message, "run `make up` again: it installs the locked packages")
    return ok("servers", "NATS and Postgres are installed or named by URL")


def unused(everything: AllSettings, environ: Mapping[str, str]) -> Finding:
    """Whether all that was set is used."""
    lines = unused_settings(everything, environ)
    if lines:
        return warning("settings", " ".join(lines), "correct the names, or unset what changes nothing")
    return ok("settings", "all that is set is used")


def disk(settings: UpSettings) -> Finding:
    """Whether the log can grow."""
    data = settings.data_dir
    there = [one for one in (data, data / "nats", data / "postgres") if one.exists()]
    while not there:
        data = data.parent
        there = [data] if data.exists() else []
    rooms = {one: _room(one) for one in there}  # each may be a disk of its own
    folder, room = min(rooms.items(), key=lambda pair: pair[1].free)
    text = f"{room} at {folder if settings.data_dir.exists() else settings.data_dir}"
    if room.is_full:
        to_do = "make room, or set FOLDLINE_DATA_DIR to another disk. Other problems may follow from it"
        return problem("disk", f"full: {text}", to_do)
    if room.is_nearly_full:
        return warning("disk", f"nearly full: {text}", "make room soon: the log only grows")
    return ok("disk", text)


def _room(folder: Path) -> DiskRoom:
    disk = shutil.disk_usage(folder)
    return DiskRoom(disk.free, disk.total)


def data_directory(settings: UpSettings) -> Finding:
    """Whether the data directory is private."""
    path: Path = settings.data_dir
    if not path.exists():
        return ok("data directory", f"{path} will be made at the first start")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return warning("data directory", f"{path} is open to others ({mode:o})", f"chmod 700 {path}")
    return ok("data directory", f"{path}, private")


def sync(settings: UpSettings) -> Finding:
    """Whether an acknowledged event survives a power failure."""
    if settings.nats_sync == "always":
        return ok("fsync", "every event is on the disk before it is acknowledged")
    return warning(
        "fsync",
        f"FOLDLINE_NATS_SYNC is {settings.nats_sync}: a power failure loses up to that much",
        "unset FOLDLINE_NATS_SYNC for `always`",
    )


def proxies(environ: Mapping[str, str]) -> Finding:
    """The proxies through which models and notifications are asked."""
    try:
        found = proxies_from(environ)
    except Rejected as unusable:
        return problem("proxy", unusable.message, "foldline up doesn't start with it")
    if not found.every:
        return ok("proxy", "none: no variable names one")
    each = ", ".join(f"{one.url} ({one.variable})" for one in dict.fromkeys(found.every.values()))
    left_out = " and what NO_PROXY names" if found.exempt else ""
    text = f"{each} for models and notifications; never for this machine, private addresses{left_out}"
    return ok("proxy", text)


def chromium(settings: UpSettings) -> Finding:
    """Whether browser tools and browser tests have a browser, and what holds it in its cage."""
    try:
        program = find_chromium(settings.chromium_path)
    except Rejected as missing:
        return warning("chromium", "not found; only browser tools and tests need it", missing.message)
    try:
        cage = examine()
    except Rejected as impossible:
        return problem(
            "chromium", f"{program}: {impossible.message}", "browser tools will not work; report it"
        )
    if not cage.lacks:
        return ok("chromium", f"{program}, in a cage: {', '.join(cage.got)}")
    to_do = [remedy for lack in cage.lacks if (remedy := remedy_of(lack))]
    text = f"{program}, in a cage that lacks: {'; '.join(cage.lacks)}"
    return warning("chromium", text, "; ".join(to_do)) if to_do else ok("chromium", text)


def commands(settings: UpSettings) -> Finding:
    """Whether agents' commands can run, and what keeps them in."""
    try:
        isolation = isolation_here(host_mode=settings.workspace_host_mode)
    except Rejected as impossible:
        return warning("commands", "agents can't run commands on this machine", impossible.message)
    if isolation.weaker is None:
        return ok("commands", f"isolated by {isolation.program}, in namespaces of their own")
    if isolation.kind == "host":
        return warning("commands", isolation.weaker, "unset FOLDLINE_WORKSPACE_HOST_MODE to isolate them")
    return warning("commands", f"confined by Landlock, {isolation.weaker}", REMEDY)


async def sandbox(settings: UpSettings) -> Finding:
    """Whether agents' code can run: by running some, where it is run."""
    with tempfile.TemporaryDirectory() as elsewhere:
        data = settings.data_dir if settings.data_dir.exists() else Path(elsewhere)
        tried = Sandbox(data / FOLDER, workers=1)
        try:
            await try_sandbox(tried)
        except (Failure, OSError) as failure:
            return problem(
                "sandbox",
                f"agents' code can't run: {failure}",
                "what agents said and made is safe. The data directory needs room, and must be private",
            )
        finally:
            await tried.close()
    return ok("sandbox", "agents' code runs: a small program gave what it should")
