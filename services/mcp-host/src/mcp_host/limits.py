"""How much of anything one server, one message and one call may have."""

MIB = 1024 * 1024

MESSAGE_BYTES = 4 * MIB
"""Of one message of a server; a program that sends a longer one is ended."""
STDERR_BYTES = 8 * 1024
"""Of what a program says on its standard error, the last are kept."""
CONNECT_S = 30.0
"""Seconds in which a server has to introduce itself."""
LIST_S = 30.0
"""Seconds in which the pages of a list come; those that came by then are used."""
SHOWN_S = 15.0
"""The same for prompts and for resources, for which somebody waits."""
LISTED_S = SHOWN_S + 5
"""Seconds for a call that lists those: what came is to be told."""
LONG_LIST_S = 300.0
"""Seconds for a list of tools that didn't come in time: it is read again while the server is used."""
IDLE_S = 600.0
"""Seconds without a call after which a connection is closed."""
FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
"""Seconds before one that failed is tried again: the first delay, doubled each time, and the longest."""
PAGES = 200
ENTRIES = 5_000
LIST_BYTES = 16 * MIB
"""Of one list, after which no further page is read."""
MOST_LISTED = 200
"""Resources, or prompts, that one answer names."""
SCHEMA_BYTES = 64 * 1024
"""Of JSON, of one tool's arguments, after what it refers to was put in its place."""
RESOURCE_BYTES = 256 * 1024
"""Of text, up to which a resource stands in the result; a larger one is a file."""
FILES = 32
"""Pictures and files that one result may bring."""
FILE_BYTES = 3 * MIB
APP_S = 10.0
"""Seconds in which a server has to give the app of a tool, once the tool has its result, and those of all
its tools when these are listed:"""
APPS = 32
"""so many pages are looked at then."""
PROCESSES = 256
"""Of one program and all that it starts."""
MEMORY_BYTES = 4 * 1024 * MIB
"""That each process of a program may write."""
FILE_SIZE_BYTES = 512 * MIB
OPEN_FILES = 4096
ENDS_S = 2.0
"""Seconds that a program has to end by itself."""
ASKED_AT_ONCE = 10
"""Forms and addresses that a server may put before a person at once,"""
ASKED_FIELDS = 50
"""and fields of all of them."""
ROUNDS = 10
"""Times that one call may ask."""
STATE_BYTES = 64 * 1024
"""Of JSON, that a server may have kept for when it is answered."""
HELD_S = 3600.0
"""Seconds that a call is kept open at most while a person is asked: servers up to 2025-11-25 need that."""
MOST_HELD = 100
"""Such calls of one host."""
TASK_S = 24 * 3600.0
"""Seconds that a server's task is looked after at most,"""
TASK_ID = 500
"""characters of its id,"""
LOOKS_S = 20.0
"""seconds of one look, within which it is asked for again and again,"""
SOONEST_LOOK_S, LOOK_AGAIN_S, LATEST_LOOK_S = 0.5, 5.0, 300.0
"""and seconds between: the least, the usual, the most."""
LOOK_ANSWER_S = 10.0
"""Seconds in which a server has to say how a task stands."""
SAMPLES = 10
"""Questions that one call may have a model asked,"""
SAMPLE_MESSAGES, SAMPLE_CHARACTERS = 100, 100_000
"""messages of one, and characters of all its texts,"""
SAMPLE_TOKENS = 4096
"""tokens of its answer,"""
HOTTEST, STOP_SEQUENCES, STOP_CHARACTERS = 2.0, 4, 100
"""the highest temperature, words that end the answer, and characters of each."""
APP_RESULT = 256 * 1024
"""Bytes of JSON that an app gets of a tool of its server that it calls;"""
APP_AT_ONCE, APP_A_MINUTE = 4, 60
"""its calls at a time, and within a minute."""
