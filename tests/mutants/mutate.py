#!/usr/bin/env python3
"""Makes one-token mutants of the policy and counts which of them its unit tests kill.

Every mutant has a place in an order that the seed alone decides, and which does not change when other lines of the
policy do. The first --count of them count, without those that do not compile and those that equivalent.json names. The
exit status is 1 if fewer than --least percent of them are killed, and 2 if the tests fail without a change.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import hashlib
import json
import pathlib
import sys
import tempfile
import time

import mutations
import scratch_build

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
POLICY = "src/contextual/policy"


class Equivalents:
    """The mutants that no test can kill, or that none should: by file, line and changed line, with the reason."""

    def __init__(self, entries):
        self._reasons = {(entry["file"], entry["before"], entry["after"]): entry["reason"] for entry in entries}

    def reason_for(self, mutant):
        """Returns why the mutant does not count, or None if it does."""
        return self._reasons.get((mutant.file, mutant.before, mutant.after))

    def stale(self, mutants):
        """Returns the entries of files of these mutants that are none of them, as the source has changed."""
        known = {(mutant.file, mutant.before, mutant.after) for mutant in mutants}
        files = {mutant.file for mutant in mutants}
        return [key for key in self._reasons if key[0] in files and key not in known]


def in_order(mutants, seed):
    """Returns the mutants in the order of the seed. A mutant's place among the others depends on nothing but itself."""
    met = collections.Counter()
    places = []
    for mutant in mutants:
        name = (seed, mutant.file, mutant.before, mutant.after)
        met[name] += 1  # the same line may be there twice
        places.append((hashlib.sha256(repr((name, met[name])).encode()).digest(), mutant))
    return [mutant for _, mutant in sorted(places, key=lambda place: place[0])]


@dataclasses.dataclass
class Result:
    mutant: mutations.Mutant
    outcome: str
    detail: str = ""


def try_mutants(mutants, count, jobs, equivalents, outcome_of, deadline=None):
    """Tries mutants in their order until `count` of them were killed or survived. Returns a Result for each one tried.

    Whichever job is done first, the same ones are tried: never more at a time than may still be needed.
    """
    results = {}
    waiting = iter(enumerate(mutants))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {}
        counted = 0
        while True:
            while len(running) < min(jobs, count - counted) and (deadline is None or time.monotonic() < deadline):
                place, mutant = next(waiting, (None, None))
                if mutant is None:
                    break
                reason = equivalents.reason_for(mutant)
                if reason is not None:
                    results[place] = Result(mutant, "equivalent", reason)
                    continue
                running[pool.submit(outcome_of, mutant)] = (place, mutant)
            if not running:
                return [results[place] for place in sorted(results)]
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                place, mutant = running.pop(future)
                results[place] = Result(mutant, *future.result())
                counted += results[place].outcome in {"killed", "survived"}
                print(f"{counted:4} {results[place].outcome:16} {mutant.file}:{mutant.line}: {mutant.after}", flush=True)


def killed_percent(results):
    outcomes = collections.Counter(result.outcome for result in results)
    counted = outcomes["killed"] + outcomes["survived"]
    return 100 * outcomes["killed"] / counted if counted else 100.0


def table(results):
    """Returns the counts of each file, and then what survived."""
    kinds = ["killed", "survived", "does not compile", "equivalent"]
    files = sorted({result.mutant.file for result in results})
    lines = [f"{'file':48}" + "".join(f"{kind:>18}" for kind in kinds)]
    for file in [*files, None]:
        counts = collections.Counter(result.outcome for result in results if file in (None, result.mutant.file))
        name = "all" if file is None else file.removeprefix(POLICY + "/")
        lines.append(f"{name:48}" + "".join(f"{counts[kind]:18}" for kind in kinds))
    for result in results:
        if result.outcome == "survived":
            mutant = result.mutant
            lines += ["", f"survived: {mutant.file}:{mutant.line}", f"  - {mutant.before}", f"  + {mutant.after}"]
    return "\n".join([*lines, "", f"killed: {killed_percent(results):.1f} % of those that count"])


def as_json(results, seed):
    rows = [{"file": result.mutant.file, "line": result.mutant.line, "kind": result.mutant.kind,
             "before": result.mutant.before, "after": result.mutant.after, "outcome": result.outcome,
             "detail": result.detail} for result in results]
    return json.dumps({"seed": seed, "killed_percent": killed_percent(results),
                       "survivors": [row for row in rows if row["outcome"] == "survived"], "mutants": rows}, indent=1)


def chosen_files(root, only, leave_out):
    """The policy's sources that match one of `only`, if there are any, and none of `leave_out`: names below the policy."""
    def matches(name, patterns):
        return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)

    names = sorted(path.relative_to(root / POLICY).as_posix() for path in (root / POLICY).rglob("*.?pp"))
    return [f"{POLICY}/{name}" for name in names if matches(name, only or ["*"]) and not matches(name, leave_out)]


def again(mutants, report):
    """The survivors of an earlier report, as far as their lines are still there."""
    survived = {(row["file"], row["before"], row["after"]) for row in report["survivors"]}
    return [mutant for mutant in mutants if (mutant.file, mutant.before, mutant.after) in survived]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="mutants that count")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--least", type=float, default=0, help="percent that must be killed")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="such as search/*; may be repeated")
    parser.add_argument("--leave-out", action="append", default=[], metavar="GLOB")
    parser.add_argument("--again", type=pathlib.Path, metavar="REPORT", help="try the survivors of an earlier report")
    parser.add_argument("--minutes", type=float, help="begin no further mutant after this time")
    parser.add_argument("--report", type=pathlib.Path, help="where the JSON goes")
    parser.add_argument("--scratch", type=pathlib.Path, help="folder of the copy and its build, which is kept")
    parser.add_argument("--list", action="store_true", help="print the mutants in their order, and build nothing")
    return parser.parse_args()


def main():
    options = arguments()
    deadline = time.monotonic() + 60 * options.minutes if options.minutes else None
    mutants = [mutant for file in chosen_files(ROOT, options.only, options.leave_out)
               for mutant in mutations.source_mutants(file, (ROOT / file).read_text())]
    equivalents = Equivalents(json.loads((HERE / "equivalent.json").read_text()))
    for file, before, after in equivalents.stale(mutants):
        print(f"equivalent.json: {file} has no such mutant any more: {before} -> {after}", file=sys.stderr)
    ordered = in_order(mutants, options.seed)
    if options.again:
        ordered = again(ordered, json.loads(options.again.read_text()))
    if options.list:
        print("\n".join(f"{mutant.file}:{mutant.line}: {mutant.before} -> {mutant.after}" for mutant in ordered))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        try:
            scratch = scratch_build.ScratchBuild(ROOT, (options.scratch or pathlib.Path(temporary)).resolve(), options.jobs)
        except RuntimeError as error:
            print(f"the policy's unit tests fail without a change: {error}", file=sys.stderr)
            return 2
        results = try_mutants(ordered, options.count, options.jobs, equivalents, scratch.outcome_of, deadline)
    print(table(results))
    if options.report:
        options.report.write_text(as_json(results, options.seed) + "\n")
    return 0 if killed_percent(results) >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
