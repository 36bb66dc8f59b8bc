#!/usr/bin/env python3
"""Says what kernels cost the compiler of their user: user time and object size of files with and without kernels.

    benchmarks/compile_time/measure.py [--compiler g++] [--rounds 5] [--include <folder> ...]

Each file is compiled at -O2 by turns, and the fastest of its rounds counts. The ratio is to `no_kernel.cpp`, a file
with a ContextualAutotuner and an empty region that includes the same header.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FILES = ["no_kernel", "four_kernels"]


def compile_once(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, env={**os.environ, "CCACHE_DISABLE": "1"})
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--include", action="append", help="where the library's headers are; default: this tree's")
    options = parser.parse_args()
    includes = [f"-I{folder}" for folder in options.include or [HERE.parents[1] / "include"]]

    with tempfile.TemporaryDirectory() as folder:
        objects = {name: pathlib.Path(folder, f"{name}.o") for name in FILES}
        seconds = dict.fromkeys(FILES, float("inf"))
        for _ in range(options.rounds):
            for name in FILES:
                source = str(HERE / f"{name}.cpp")
                command = [options.compiler, "-O2", "-std=c++20", *includes, "-c", source, "-o", str(objects[name])]
                seconds[name] = min(seconds[name], compile_once(command))
        for name in FILES:
            ratio = seconds[name] / seconds[FILES[0]]
            print(f"{name:15} {seconds[name]:6.2f} s  x {ratio:4.2f}  {objects[name].stat().st_size / 1e6:5.2f} MB")


if __name__ == "__main__":
    main()
