#!/usr/bin/env python3
"""Injects faults into real processes under mpirun and checks what every rank sees of them.

    run_faults.py BUILD_DIRECTORY --faults all --ranks 2,4 --repeat 100 --jobs 6

Every rank must be out within deadline + grace + margin after the injection, with the right error or exit
code; logs must be readable, choices equal, and no process may be left. Ends with 1 when something was wrong,
and keeps the folders of what was.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import json
import pathlib
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is written into the source tree

import fault_cases
import fault_checks
import fault_run


@dataclasses.dataclass
class Job:
    """One mpirun."""

    case: fault_cases.Case
    ranks: int
    place: fault_cases.Place
    first: int
    repeat: int
    culprit: int = None  # the same one in all repetitions


@dataclasses.dataclass
class Result:
    passed: int
    repeat: int
    slowest_ms: float
    problems: list
    folder: pathlib.Path
    mpirun_stuck: bool = False


def jobs_of(case, ranks, repeat):
    if case.poisons:
        for number in range(repeat):
            yield Job(case, ranks, case.places[number % len(case.places)], number, 1)
        return
    ways = range(ranks) if case.one_culprit else case.points
    share = max(1, -(-repeat // len(ways)))
    for index, way in enumerate(ways):
        place = fault_cases.Place("" if case.one_culprit else way)
        yield Job(case, ranks, place, index * share, share, index if case.one_culprit else None)


def culprit_of(job, repetition):
    """As the program counts. A fault that poisons meets another rank when its places come round again."""
    if job.culprit is not None:
        return job.culprit
    if job.case.poisons:
        return (repetition + repetition // len(job.case.places)) % job.ranks
    return repetition % job.ranks


def arguments_of(job, options):
    arguments = ["--fault", job.case.kind, "--point", job.place.point or "none"]
    # Where nobody waits in vain no deadline may end the run: other work on the machine could make a rank late.
    deadline_ms = options.deadline_ms if job.case.poisons else 30_000
    arguments += ["--deadline-ms", str(deadline_ms), "--grace-ms", str(options.grace_ms)]
    arguments += ["--roll-call-ms", str(options.grace_ms)]
    arguments += ["--repeat", str(job.repeat), "--first", str(job.first)]
    if job.case.poisons or job.case.one_culprit:
        arguments += ["--rank", str(culprit_of(job, job.first)), "--iterations", job.place.iteration]
    else:
        arguments += ["--rank", "0", "--vary-rank", "--iterations", ",".join(job.case.iterations)]
    return arguments + list(job.case.options)


def intervention_of(job, options, culprit):
    """What is done to the processes from outside while they run."""
    if job.case.all_stop:
        seconds = 1.5 * (options.deadline_ms + options.grace_ms) / 1000
        return functools.partial(fault_run.stop_all, culprit=culprit, seconds=seconds)
    if job.case.stops:
        return functools.partial(fault_run.end_stop, culprit=culprit, wake=job.case.wake)
    return None


def run_job(job, options, folder):
    culprit = culprit_of(job, job.first)
    run = fault_run.start(
        options.mpirun,
        options.program,
        arguments_of(job, options),
        job.ranks,
        folder,
        timeout_s=60 + 2 * job.repeat,
        intervene=intervention_of(job, options, culprit),
    )
    limit_ms = options.deadline_ms + options.grace_ms + options.margin_ms
    judge = fault_checks.Judge(run, job.case, limit_ms, options.report)
    healthy = "--no-healthy" not in job.case.options
    problems = list(judge.whole())
    slowest = 0.0
    passed = 0
    for repetition in range(job.first, job.first + job.repeat):
        found, elapsed_ms = judge.repetition(job.place, culprit_of(job, repetition), repetition)
        if healthy:
            found += judge.healthy(repetition)
        problems += [f"repetition {repetition}, {job.place}: {text}" for text in found]
        slowest = max(slowest, elapsed_ms)
        passed += 0 if found else 1
    if healthy and not job.case.poisons:
        problems += judge.healthy(job.first + job.repeat)
    if not problems and not options.keep:
        shutil.rmtree(folder)
    passed = min(passed, job.repeat - 1) if problems else passed
    return Result(passed, job.repeat, slowest, problems, folder, run.mpirun_stuck)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="build folder, or the fault program")
    parser.add_argument("--faults", default="all", help="names, separated by commas")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="mpiruns at a time")
    parser.add_argument("--shard", default="0/1", help="I/N: every N-th mpirun, from the I-th")
    parser.add_argument("--deadline-ms", type=int, default=400)
    parser.add_argument("--grace-ms", type=int, default=300)
    parser.add_argument("--margin-ms", type=int, default=1500)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--report", type=pathlib.Path, help="the program contextual-report")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file, too")
    parser.add_argument("--keep", action="store_true", help="keep the folders of what went well, too")
    parser.add_argument("--list", action="store_true", help="print the names of the faults")
    options = parser.parse_args()
    if options.list:
        print("\n".join(case.name for case in fault_cases.CASES))
        sys.exit(0)
    if options.build is None:
        parser.error("which build folder?")
    options.program = options.build
    if options.build.is_dir():
        options.program = options.build / "tests" / "mpi" / "faults" / "fault_program"
        built = options.build / "tools" / "report" / "contextual-report"
        if options.report is None and built.exists():
            options.report = built
    known = {case.name: case for case in fault_cases.CASES}
    names = list(known) if options.faults == "all" else options.faults.split(",")
    for name in names:
        if name not in known:
            parser.error(f"there is no fault {name}; see --list")
    options.cases = [known[name] for name in names]
    return options


def table(results):
    """One row a fault and rank count."""
    rows = []
    for (name, ranks), of_case in results.items():
        rows.append(
            {
                "fault": name,
                "ranks": ranks,
                "repetitions": sum(result.repeat for result in of_case),
                "passed": sum(result.passed for result in of_case),
                "slowest_survivor_ms": round(max(result.slowest_ms for result in of_case), 1),
            }
        )
    return rows


def print_table(rows):
    print(f"{'fault':26} {'ranks':>5} {'repetitions':>11} {'passed':>6} {'slowest survivor':>17}")
    for row in rows:
        print(
            f"{row['fault']:26} {row['ranks']:5} {row['repetitions']:11} {row['passed']:6} "
            f"{row['slowest_survivor_ms']:14.0f} ms"
        )


def print_problems(failed):
    for result in failed:
        print(f"\n{result.folder}")
        for problem in result.problems[:12]:
            print(f"  {problem}")
        if len(result.problems) > 12:
            print(f"  and {len(result.problems) - 12} more")


def main():
    options = parse_arguments()
    base = pathlib.Path(tempfile.mkdtemp(prefix="contextual-faults-"))
    index, count = (int(part) for part in options.shard.split("/"))
    jobs = [
        job
        for case in options.cases
        for ranks in map(int, options.ranks.split(","))
        for job in jobs_of(case, ranks, options.repeat)
    ][index::count]
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [
            pool.submit(run_job, job, options, base / f"{job.case.name}-{job.ranks}-{job.first}") for job in jobs
        ]
        done = [future.result() for future in futures]
    results = {}
    for job, result in zip(jobs, done):
        results.setdefault((job.case.name, job.ranks), []).append(result)
    rows = table(results)
    print_table(rows)
    print(f"{len(jobs)} mpiruns in {time.monotonic() - begin:.0f} s; the limit is "
          f"{options.deadline_ms + options.grace_ms + options.margin_ms} ms")
    stuck = sum(result.mpirun_stuck for result in done)
    if stuck > 0:
        print(f"{stuck} mpiruns did not end by themselves after all ranks had ended")
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    failed = [result for result in done if result.problems]
    print_problems(failed)
    if not failed and not options.keep:
        base.rmdir()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
