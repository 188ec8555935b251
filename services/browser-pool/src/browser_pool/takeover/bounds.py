"""How much one hand-over may have."""

VIEWERS = 4
"""Pages of our web UI that look at the same time."""
VIEWER_S = 15.0
"""Seconds after which one that doesn't ask for more has gone."""
LOOK_S = 5.0
"""Seconds that one waits for something new."""
FRAME_S = 0.1
"""Seconds between two pictures."""
FRAME_BYTES = 2 * 1024 * 1024
"""Bytes of a picture; a larger one is left out."""
QUALITY = 60
"""Of a JPEG, of 100."""
INPUT_S = 3.0
"""Seconds that one input waits for its page."""
WAITING_INPUTS = 8
"""Requests with inputs that wait for their turn."""
NARROWEST, WIDEST = 320, 1600
LOWEST, HIGHEST = 400, 1200
"""CSS pixels of a page."""
NOTES = 5
"""Sentences that are shown."""
HOSTS = 50
"""Hosts visited, of which logins can be kept."""
SHOWN = 2_000
"""Characters of an address, a title, a dialog's message."""
AFTERWARDS_S = 10.0
"""Seconds after the call expired until the pages are the agent's again by themselves."""
