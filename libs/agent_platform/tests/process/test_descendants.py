"""What a process started is found, however deep, and without what has ended."""

import os
import subprocess
import sys

import pytest

from agent_platform.process.cage.descendants import below

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc"), reason="there is no /proc")

DEEP = "import os, sys, time\nif os.fork(): print('x', flush=True)\nelse:\n    os.setsid()\ntime.sleep(60)"


def test_what_was_started_is_found_however_deep_and_not_once_it_has_ended() -> None:
    before = set(below(os.getpid()))
    with subprocess.Popen([sys.executable, "-c", DEEP], stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        started.stdout.readline()
        found = [one for one in below(os.getpid()) if one not in before]
        assert found[0] == started.pid
        assert len(found) == 2  # the second has left the session of the first
        for process in found:
            os.kill(process, 9)
        started.wait(60)
    assert started.pid not in set(below(os.getpid()))
