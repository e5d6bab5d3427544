#!/usr/bin/env python3
"""Measures how much slower this machine is than an idle one, and prints a factor between 1 and 6.

usage: deploy/patience.py FOLDER     writes some files into FOLDER and removes them; takes about two seconds on an idle machine

Three short pieces of work are timed: computing on two cores at once, process starts, and writes that wait for the disk. Each is compared
with its time on 2 idle cores. The factor is the mean of the three, or that of computing if it is larger: tests mostly compute. The parts go
to standard error, the factor to standard output. Limits of waiting in the tests are multiplied by the factor.
"""

import multiprocessing
import os
import subprocess
import sys
import time

# Seconds on 2 idle cores that build the product in 200 s.
IDLE = {"computing": 0.50, "process starts": 0.20, "writes to disk": 0.08}
LEAST, MOST = 1.0, 6.0


def compute(_):
    number = 1
    for _ in range(5_000_000):
        number = (number * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
    return number


def computing(_):
    with multiprocessing.Pool(2) as pool:
        pool.map(compute, range(2), chunksize=1)


def process_starts(_):
    for _ in range(400):
        subprocess.run(["/bin/true"], check=True)


def writes_to_disk(folder):
    path = os.path.join(folder, "patience")
    with open(path, "wb") as file:
        for _ in range(200):
            file.write(b"x" * 8192)
            file.flush()
            os.fsync(file.fileno())
    os.remove(path)


def seconds(work, folder):
    began = time.monotonic()
    work(folder)
    return time.monotonic() - began


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    works = {"computing": computing, "process starts": process_starts, "writes to disk": writes_to_disk}
    ratios = {}
    for name, work in works.items():
        took = seconds(work, sys.argv[1])
        ratios[name] = took / IDLE[name]
        print(f"   {name}: {took:.2f} s, {ratios[name]:.1f} times an idle machine", file=sys.stderr)
    factor = max(sum(ratios.values()) / len(ratios), ratios["computing"])
    print(f"{min(max(factor, LEAST), MOST):.1f}")


if __name__ == "__main__":
    main()
