"""Every process that stores blobs hears of erasures."""

from pathlib import Path

from agent_domain.erasing import progress

SERVICES = Path(progress.__file__).parents[5] / "services"


def test_no_service_keeps_blobs_that_do_not_hear_of_erasures() -> None:
    """Bytes that a process stored before an erasure may be gone after it: it must store them again."""
    sources = list(SERVICES.glob("*/src/*/app.py"))
    assert any("blobs_of(" in one.read_text() for one in sources)
    deaf = [one.parent.name for one in SERVICES.glob("*/src/**/*.py") if "JetStreamBlobs(" in one.read_text()]
    assert deaf == [], "make them by agent_domain.erasing.progress.blobs_of"
