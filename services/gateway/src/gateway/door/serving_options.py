"""How the gateway serves: its settings, checked and with what nobody can set."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from agent_contracts.errors import Rejected
from egress.settings import NO_TOKEN
from gateway.deps import GatewayOptions
from gateway.live.event_listener import StreamTiming
from gateway.live.subscription import LagLimits
from gateway.settings import GatewaySettings, names_in


@dataclass(frozen=True)
class ServingOptions:
    """How the gateway listens and what it allows. Sizes in bytes. `projection_wait_s`: how many
    seconds a read waits for the projections at most. `public_path`: below
    what path others find the gateway. `head_s`: how many the head of a request may take.
    """

    host: str = "127.0.0.1"
    port: int = 0
    allowed_hosts: tuple[str, ...] = ()
    body_limit: int = 4 * 1024 * 1024
    import_limit: int = 64 * 1024 * 1024
    upload_limit: int = 256 * 1024 * 1024
    connections: int = 1000
    head_s: float = 10.0
    ui_folder: Path | None = None
    public_path: str = "/"
    projection_wait_s: float = 10.0
    stream_limits: LagLimits = field(default_factory=LagLimits)
    stream_timing: StreamTiming = field(default_factory=StreamTiming)

    @property
    def configured(self) -> GatewayOptions:
        """What of it any door works by."""
        return GatewayOptions(
            projection_wait_s=self.projection_wait_s,
            stream_limits=self.stream_limits,
            stream_timing=self.stream_timing,
        )


def serving(settings: GatewaySettings) -> ServingOptions:
    """What follows from the settings."""
    return ServingOptions(
        host=settings.host,
        port=settings.port,
        allowed_hosts=tuple(names_in(settings.allowed_hosts)),
        body_limit=settings.body_limit,
        import_limit=settings.import_limit,
        upload_limit=settings.upload_limit,
        connections=settings.connections,
        public_path=urlsplit(settings.public_url or "").path,
        ui_folder=settings.ui_dir or found_ui_folder(),
    )


def found_ui_folder() -> Path | None:
    """Where the built UI lies: inside the installed package, else in the checkout."""
    package = Path(__file__).parents[1]
    folders = (package / "ui", package.parents[2] / "ui" / "dist")
    return next((folder for folder in folders if (folder / "index.html").is_file()), None)


def the_token(settings: GatewaySettings) -> str | None:
    """The configured token, else that of the data directory, made if there is none; None if disabled."""
    if settings.token is not None:
        token = settings.token.get_secret_value()
        return None if token == NO_TOKEN else token
    return stored_token(settings.data_dir / "token")


def stored_token(path: Path) -> str:
    """The token in a file that only its owner may read; made by whoever comes first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".token-{os.getpid()}-{os.urandom(4).hex()}")
    if not path.exists():
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(os.urandom(32).hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass  # another process was first: its token counts
        finally:
            fresh.unlink()
    token = path.read_text(encoding="utf-8-sig").strip()
    if not token:
        raise Rejected(f"{path} is empty: delete it, and a new token will be made at the next start")
    return token
