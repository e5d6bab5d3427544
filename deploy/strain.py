#!/usr/bin/env python3
"""Keeps this machine busy until it is ended: two processes per core compute, and one writes and syncs.

usage: deploy/strain.py FOLDER     deploy/test --strain runs it beside the tests, to find unsteady ones on purpose
"""

import multiprocessing
import os
import sys
import time

PER_CORE = 2
BLOCK = bytes(64 * 1024)
BLOCKS = 64  # of the file, which is written again and again


def compute(parent):
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass


def write(parent, path):
    with open(path, "wb", buffering=0) as file:
        while os.getppid() == parent:
            file.seek(0)
            for _ in range(BLOCKS):
                file.write(BLOCK)
                os.fsync(file.fileno())
    os.remove(path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    parent = os.getpid()
    processes = [multiprocessing.Process(target=compute, args=(parent,)) for _ in range(PER_CORE * os.cpu_count())]
    processes.append(multiprocessing.Process(target=write, args=(parent, os.path.join(sys.argv[1], "strain"))))
    for process in processes:
        process.start()
    # The processes end when this one does, however it ends.
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
