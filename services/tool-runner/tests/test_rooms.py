"""The runner's folder stays one that can be read at a glance."""

import pkgutil

import tool_runner

MOST = 15


def test_the_root_has_few_modules() -> None:
    names = [info.name for info in pkgutil.iter_modules(tool_runner.__path__)]
    assert len(names) <= MOST, names
