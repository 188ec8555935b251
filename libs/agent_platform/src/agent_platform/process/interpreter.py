"""The Python that runs this, and how it was built: that decides about a sixth of what a step costs."""

import platform
import sysconfig


def has_pgo() -> bool:
    """Whether it was built with what was learned from a profile; true where its build isn't known."""
    arguments = sysconfig.get_config_var("CONFIG_ARGS")
    by_debian = sysconfig.get_config_var("PGO_PROF_USE_FLAG") == ""  # which builds so, and hides the flag
    return not isinstance(arguments, str) or "--enable-optimizations" in arguments or by_debian


def interpreter() -> str:
    """Such as `Python 3.12.3 with PGO`."""
    return f"Python {platform.python_version()} {'with' if has_pgo() else 'without'} PGO"
