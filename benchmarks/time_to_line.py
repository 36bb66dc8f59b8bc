#!/usr/bin/env python3
"""Says when a program prints a line: the seconds from its start to the first line of its standard output that matches.

    benchmarks/time_to_line.py 'makespan|Nothing was tuned' -- build/cuda/examples/transformer_block

The examples print their choices right after the final run, which is the first one that is tuned. The program goes on
to its end, and its exit code is this one's; 1 if no line matches. The program's output is flushed line by line by `stdbuf`.
"""

import re
import subprocess
import sys
import time


def main() -> int:
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    pattern = re.compile(sys.argv[1])
    begin = time.monotonic()
    seconds = None
    with subprocess.Popen(["stdbuf", "-oL", *sys.argv[3:]], stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            if seconds is None and pattern.search(line):
                seconds = time.monotonic() - begin
    if seconds is None:
        print(f"no line matches {sys.argv[1]}")
        return program.returncode or 1
    print(f"{seconds:.2f} s to the line, {time.monotonic() - begin:.2f} s to the end")
    return program.returncode


if __name__ == "__main__":
    sys.exit(main())
