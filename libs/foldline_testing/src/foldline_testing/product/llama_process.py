"""llama.cpp's HTTP server on loopback until it is killed. A script: llama.cpp is in a folder of its own.

python llama_process.py FOLDER_OF_XLLAMACPP WEIGHTS PORT WINDOW_IN_TOKENS
"""

import signal
import sys


def main(folder: str, weights: str, port: int, window: int) -> None:
    """Serve. Threads that wait don't spin: on a machine that does more, two that spin are slower than one."""
    sys.path.insert(0, folder)
    import xllamacpp  # type: ignore[import-not-found]

    told = xllamacpp.CommonParams()
    told.model.path = weights
    told.port = port
    told.n_ctx = window
    told.n_parallel = 1
    told.warmup = False
    for threads in (told.cpuparams, told.cpuparams_batch):
        threads.n_threads = 2
        threads.poll = 0
    server = xllamacpp.Server(told)
    print("listening at", server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
