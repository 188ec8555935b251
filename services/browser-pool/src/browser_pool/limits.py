"""How much of anything one pool, one context, one page and one call may have."""

MIB = 1024 * 1024

CONTEXTS = 20
"""Contexts of one pool, each of one session."""
PAGES = 8
"""Pages of one context."""
DOWNLOAD_BYTES = 50 * MIB
"""Bytes of one download, and of all that a context has at a time."""
DOWNLOADS = 10
"""Downloads of one context that are kept until a call stores them."""
TEXT_BYTES = MIB
"""Bytes of what is read of a page: text, HTML, a snapshot, a value."""
PICTURE_PIXELS = 16_384
"""Height and width of a screenshot."""
ELEMENTS = 50_000
"""Elements of a page that a snapshot is made of."""
DIALOGS = 20
"""Dialogs that a page may open in one call before it is closed."""
WINDOWS = 50
"""Windows too many that pages of a context may open in a minute before the context is closed."""
WAITS_S = 30.0
"""Seconds that a session waits for a place where all pools are full: longer than a pool that died takes to
come back, on a machine that does much else as well."""
WAITING = 16
"""Sessions that wait in one pool at a time; more are refused at once."""
CALL_S = 30.0
"""Seconds of one call, after which its runner stops it."""
STEP_S = 20.0
"""Seconds that a call waits for a page."""
IDLE_S = 15 * 60.0
"""Seconds without a call after which a context is closed."""
CHROMIUM_IDLE_S = 60.0
"""Seconds without a context after which Chromium is ended."""
HAND_OVER_S = 30 * 60.0
"""Seconds that a person has for what a context is handed over for."""
