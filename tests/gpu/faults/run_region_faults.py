#!/usr/bin/env python3
"""Injects faults into a region on GPUs, whose ranks are real processes, and checks what every rank sees of them.

    run_region_faults.py BUILD_DIRECTORY --ranks 2 --repeat 10

Every repetition is an mpirun with the fault and, in fresh processes, one without. Every rank must be out within
deadline + grace + wait budget + margin after the injection, with the right error or exit code; the results of the runs
that go on must be right, logs readable, and no process may be left.

Exit codes: 0; 1 something was wrong, and the folders of it are kept; 2 wrong usage; 3 there are no GPUs for it.
"""

import argparse
import functools
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is written into the source tree

import region_cases
import region_checks

import fault_run
import run_faults

EXIT_MISSING = 3
# As in scripts/common.sh, which says why.
ENVIRONMENT = {"NCCL_NVLS_ENABLE": "0", "NVSHMEM_DISABLE_NVLS": "1"}
MPIRUN_SECONDS = 150  # code may have to be compiled first


class Skipped(Exception):
    """There is no GPU, or the ranks cannot use each other's memory."""


def arguments_of(case, number, options):
    arguments = ["--fault", case.kind, "--point", region_cases.PLACE.point, "--rank", str(options.ranks - 1)]
    arguments += ["--iterations", region_cases.PLACE.iteration, "--first", str(number)]
    arguments += ["--deadline-ms", str(options.deadline_ms), "--grace-ms", str(options.grace_ms)]
    arguments += ["--roll-call-ms", str(options.grace_ms), "--wait-budget-ms", str(options.wait_budget_ms)]
    hold_ms = region_cases.hold_ms(case, options.deadline_ms, options.wait_budget_ms)
    return arguments + ["--hold-ms", str(hold_ms)]


def start(case, number, options, folder):
    """Returns the judge of one mpirun. Throws Skipped."""
    culprit = options.ranks - 1
    run = fault_run.start(
        options.mpirun,
        options.program,
        arguments_of(case, number, options),
        options.ranks,
        folder,
        timeout_s=MPIRUN_SECONDS,
        intervene=functools.partial(fault_run.end_stop, culprit=culprit, wake=False) if case.stops else None,
    )
    reason = region_checks.skipped(run)
    if reason:
        raise Skipped(reason)
    return region_checks.RegionJudge(run, case, options.limit_ms, options.report)


def repeat(case, number, options, folder):
    """One repetition: with the fault, and without it in fresh processes."""
    judge = start(case, number, options, folder / "fault")
    problems, slowest_ms = judge.fault(options.ranks - 1, number)
    try:
        after = start(region_cases.NONE, number, options, folder / "none")
    except Skipped as reason:  # there was a GPU before the fault
        problems.append(f"without fault, afterwards: {reason}")
        return run_faults.Result(0, 1, slowest_ms, problems, folder, judge.run.mpirun_stuck)
    problems += [f"without fault, afterwards: {text}" for text in after.none(number)]
    if not problems and not options.keep:
        shutil.rmtree(folder)
    stuck = judge.run.mpirun_stuck or after.run.mpirun_stuck
    return run_faults.Result(0 if problems else 1, 1, slowest_ms, problems, folder, stuck)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--deadline-ms", type=int, default=1500)
    parser.add_argument("--grace-ms", type=int, default=500)
    parser.add_argument("--wait-budget-ms", type=int, default=300, help="of a call of the layer, on the device")
    parser.add_argument("--margin-ms", type=int, default=1000)
    parser.add_argument("--only", action="append", metavar="FAULT", help="may be given several times")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file, too")
    parser.add_argument("--keep", action="store_true", help="keep the folders of what went well, too")
    options = parser.parse_args()
    known = {case.name: case for case in region_cases.CASES}
    for name in options.only or ():
        if name not in known:
            parser.error(f"there is no fault {name}; there are {', '.join(known)}")
    options.cases = [known[name] for name in options.only or known]
    if options.ranks < 2:
        parser.error("a region of one rank waits for nobody")
    if not options.wait_budget_ms * 2 <= options.deadline_ms < region_cases.SPINS_MS:
        parser.error("the deadline must be at least twice the wait budget, and shorter than 15 s")
    options.limit_ms = options.deadline_ms + options.grace_ms + options.wait_budget_ms + options.margin_ms
    if options.limit_ms >= region_cases.SPINS_MS:
        parser.error("the kernel that spins for 15 s must be longer than all limits together")
    options.program = options.build / "tests" / "gpu" / "faults" / "gpu_region_faults"
    options.report = options.build / "tools" / "report" / "contextual-report"
    for program in (options.program, options.report):
        if not program.exists():
            parser.error(f"there is no {program}: build it first")
    return options


def run_all(options, base):
    """Results by fault and number of ranks, as run_faults.py has them. Throws Skipped if it cannot run at all."""
    results = {}
    for case in options.cases:
        for number in range(options.repeat):
            folder = base / f"{case.name}-{number}"
            try:
                result = repeat(case, number, options, folder)
            except Skipped as reason:
                if not results:
                    raise
                result = run_faults.Result(0, 1, 0.0, [f"it could run before: {reason}"], folder)
            results.setdefault((case.name, options.ranks), []).append(result)
    return results


def main():
    options = parse_arguments()
    os.environ.update(ENVIRONMENT)
    # As scripts/gpu ends a step that takes too long: no process may be left on a GPU.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    base = pathlib.Path(tempfile.mkdtemp(prefix="contextual-region-faults-"))
    begin = time.monotonic()
    try:
        results = run_all(options, base)
    except Skipped as skipped:
        shutil.rmtree(base)
        print(f"skipped: {skipped}")
        return EXIT_MISSING
    rows = run_faults.table(results)
    run_faults.print_table(rows)
    done = [result for of_case in results.values() for result in of_case]
    print(f"{2 * len(done)} mpiruns in {time.monotonic() - begin:.0f} s; the limit is {options.limit_ms} ms")
    stuck = sum(result.mpirun_stuck for result in done)
    if stuck > 0:
        print(f"in {stuck} repetitions an mpirun did not end by itself after all ranks had ended")
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    failed = [result for result in done if result.problems]
    run_faults.print_problems(failed)
    if not failed and not options.keep:
        base.rmdir()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
