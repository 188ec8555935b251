"""What is locked can be installed on each Python that the README names."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_what_ports_a_part_of_a_newer_python_back_is_locked_for_older_ones_alone() -> None:
    """Such packages refuse to be installed where the part is."""
    lines = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8").splitlines()
    ports = [line for line in lines if line.startswith("backports-")]
    assert ports
    assert [line for line in ports if "; python_full_version < '3." not in line] == []
