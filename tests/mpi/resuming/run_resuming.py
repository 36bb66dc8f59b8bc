#!/usr/bin/env python3
"""Tunings that are killed once, by `kill -9` of one rank at a random point, and started again.

Each must come to the choices of an undisturbed one on all ranks, and measure only what was open twice.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

# The open batch or the open closing comparison (at most ten rounds of two trials of two runs), the first run, the batch
# in which a kernel joined, a lead-in for the suspects.
MOST_RUNS_AGAIN = 46


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=120, help="seconds, of one tuning")
    return parser.parse_args()


def environment():
    """As root, in a container, and on fewer cores than ranks."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("CONTEXTUAL_")}
    variables["OMPI_ALLOW_RUN_AS_ROOT"] = variables["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    variables["OMPI_MCA_mpi_yield_when_idle"] = "1"
    variables["ASAN_OPTIONS"] = ":".join(filter(None, [variables.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    return variables


class Job:
    """Tunings in a directory of their own."""

    def __init__(self, options, directory):
        self.options = options
        self.directory = pathlib.Path(directory)

    def run(self, rank=0, point=0):
        """Returns the exit code."""
        command = [self.options.mpirun, "--oversubscribe", "-n", str(self.options.ranks),
                   str(self.options.program), str(self.directory), str(rank), str(point)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.timeout, check=False,
                              env=environment())
        self.output = done.stdout + done.stderr
        return done.returncode

    def text(self, name):
        path = self.directory / name
        return path.read_text() if path.exists() else ""

    def choices(self):
        return [self.text(f"choices.{rank}") for rank in range(self.options.ranks)]

    def sets(self):
        """Returns how many sets of choices are kept."""
        return sum(len(json.loads(file.read_text())["sets"]) for file in self.directory.rglob("choices/*.json"))


def failures_of(job, undisturbed, rank, point):
    if job.run(rank, point) == 0:
        return ["the rank was not killed"]
    if job.run() != 0:
        return ["the second start failed:\n" + job.output]
    failures = []
    if job.choices() != undisturbed.choices():
        failures.append(f"chose {job.choices()}, undisturbed {undisturbed.choices()}")
    again = len(job.text("runs")) - len(undisturbed.text("runs"))
    if again > MOST_RUNS_AGAIN:
        failures.append(f"{again} runs more than undisturbed")
    if job.sets() != undisturbed.sets():
        failures.append(f"keeps {job.sets()} sets, undisturbed {undisturbed.sets()}")
    if list(job.directory.rglob("*.journal")):
        failures.append("a journal was left")
    return failures


def main():
    options = arguments()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as directory:
        undisturbed = Job(options, directory)
        if undisturbed.run() != 0:
            sys.exit("the undisturbed tuning failed:\n" + undisturbed.output)
        last_point = int(undisturbed.text("points"))
        failed = resumed = most_again = 0
        for repetition in range(options.repeat):
            rank, point = random.randrange(options.ranks), random.randint(1, last_point)
            with tempfile.TemporaryDirectory() as own:
                job = Job(options, own)
                for failure in failures_of(job, undisturbed, rank, point):
                    failed += 1
                    print(f"{repetition}: rank {rank} killed at point {point} of {last_point}: {failure}")
                resumed += job.text("resumed") not in ("", "0")
                most_again = max(most_again, len(job.text("runs")) - len(undisturbed.text("runs")))
        print(f"{options.repeat} tunings on {options.ranks} ranks, killed once each: {failed} failures, {resumed} "
              f"resumed, at most {most_again} runs more than the {len(undisturbed.text('runs'))} undisturbed ones")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
