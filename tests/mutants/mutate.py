#!/usr/bin/env python3
"""Makes one-token mutants of rooms of the source and counts which of them the room's own unit tests kill.

Every mutant has a place in an order that the seed alone decides, and which does not change when other lines of the room
do. The first --count of a room count, without those that do not compile, those of files that the tests do not link, and
those that equivalent.json names. The exit status is 1 if a smaller share is killed than baseline.json says of the same
seed and count, and 2 if something does not build or fails without a change.
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
BASELINE = HERE / "baseline.json"


@dataclasses.dataclass(frozen=True)
class Room:
    sources: tuple  # patterns
    program: str


def library_room(name, files="**/*.?pp"):
    return Room((f"src/contextual/{name}/{files}", f"include/contextual/detail/{name}/{files}"),
                f"tests/unit/{name}/test_{name.replace('/', '_')}")


# Those whose tests take longest come first, so that no job waits for them at the end.
ROOMS = {name: library_room(name) for name in (
    "tuning", "cuda", "sync/nccl", "policy", "storage", "launch", "testing", "record", "agreement", "measure", "config",
    "journal", "options")}
ROOMS["sync"] = library_room("sync", "*.?pp")
ROOMS["tools/report"] = Room(("tools/report/**/*.?pp",), "tests/unit/tools/test_tools")
ROOMS["tools/cache"] = Room(("tools/cache/**/*.?pp",), "tests/unit/cache_tool/test_cache_tool")


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


def try_mutants(mutants, count, pool, equivalents, outcome_of):
    """Tries mutants in their order until `count` of them were killed or survived. Returns a Result for each one tried.

    Whichever job is done first, the same ones are tried: never more at a time than may still be needed.
    """
    results = {}
    waiting = iter(enumerate(mutants))
    running = {}
    counted = 0
    while True:
        while len(running) < count - counted:
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
            print(f"{counted:3} {results[place].outcome:16} {mutant.file}:{mutant.line}: {mutant.after}  "
                  f"{results[place].detail}", flush=True)


def summary(results):
    """What a report says of a room."""
    outcomes = collections.Counter(result.outcome for result in results)
    survivors = [{"file": result.mutant.file, "before": result.mutant.before, "after": result.mutant.after}
                 for result in results if result.outcome == "survived"]
    return {"count": outcomes["killed"] + outcomes["survived"], "killed": outcomes["killed"], "survivors": survivors}


def killed_percent(room):
    return 100 * room["killed"] / room["count"] if room["count"] else 100.0


def room_text(name, room, baseline):
    """A line of the rate and that of the baseline, if it has one, and then what survived."""
    before = f" (baseline {killed_percent(baseline):.1f} %)" if baseline else ""
    lines = [f"{name}: killed {room['killed']} of {room['count']}, {killed_percent(room):.1f} %{before}"]
    for survivor in room["survivors"]:
        lines += [f"  survived: {survivor['file']}", f"    - {survivor['before']}", f"    + {survivor['after']}"]
    return "\n".join(lines)


def read_report(path, seed, count):
    """What was written of the same mutants; an empty report if there is none, or one of others."""
    report = json.loads(path.read_text()) if path.exists() else {}
    same = report.get("seed") == seed and report.get("count") == count
    return report if same else {"seed": seed, "count": count, "rooms": {}}


def chosen_files(root, room, only):
    """The sources of a room, or those that match one of `only`."""
    names = sorted(path.relative_to(root).as_posix() for pattern in ROOMS[room].sources for path in root.glob(pattern))
    return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in only or ["*"])]


def mutants_of(room, options):
    mutants = [mutant for file in chosen_files(ROOT, room, options.only)
               for mutant in mutations.source_mutants(file, (ROOT / file).read_text())]
    ordered = in_order(mutants, options.seed)
    return again(ordered, json.loads(options.again.read_text())) if options.again else ordered


def again(mutants, report):
    """The survivors of an earlier report, as far as their lines are still there."""
    survived = {(row["file"], row["before"], row["after"]) for room in report["rooms"].values() for row in room["survivors"]}
    return [mutant for mutant in mutants if (mutant.file, mutant.before, mutant.after) in survived]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"all, or some of: {', '.join(ROOMS)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30, help="mutants of each room that count")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="files such as */search/*; may be repeated")
    parser.add_argument("--again", type=pathlib.Path, metavar="REPORT", help="try the survivors of an earlier report")
    parser.add_argument("--report", type=pathlib.Path, help="where the JSON goes; rooms that it has of other runs stay")
    parser.add_argument("--baseline", dest="report", action="store_const", const=BASELINE, help="write it to baseline.json")
    parser.add_argument("--scratch", type=pathlib.Path, help="folder of the copy and its build, which is kept")
    parser.add_argument("--list", action="store_true", help="print the mutants in their order, and build nothing")
    options = parser.parse_args()
    if unknown := set(options.rooms) - set(ROOMS):
        parser.error(f"no such room: {', '.join(sorted(unknown))}")
    if options.report == BASELINE and (options.only or options.again):
        parser.error("the baseline is of whole rooms")
    return options


def try_rooms(mutants, options, equivalents, directory):
    """Returns the exit status. All rooms share the jobs, and each is written to the report when it is done."""
    begin = time.monotonic()
    scratch = scratch_build.ScratchBuild(ROOT, directory)
    for room in [room for room in mutants if ROOMS[room].program not in scratch.targets]:
        print(f"{room}: left out, as this machine cannot build its tests", file=sys.stderr)
        del mutants[room]
    scratch.build([ROOMS[room].program for room in mutants], options.jobs)
    print(f"built in {time.monotonic() - begin:.0f} s", flush=True)
    whole = not options.only and not options.again
    baseline = read_report(BASELINE, options.seed, options.count)["rooms"] if whole else {}
    status = 0
    with (concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
          concurrent.futures.ThreadPoolExecutor(len(ROOMS)) as waiting):
        def try_room(room):
            program = pool.submit(scratch_build.Program, scratch, ROOMS[room].program).result()
            return try_mutants(mutants[room], options.count, pool, equivalents, program.outcome_of)

        running = {waiting.submit(try_room, room): room for room in mutants}
        for future in concurrent.futures.as_completed(running):
            room = running[future]
            try:
                found = summary(future.result())
            except RuntimeError as error:
                print(f"{room}: its tests fail without a change: {error}", file=sys.stderr)
                status = 2
                continue
            print(f"{room_text(room, found, baseline.get(room))}\n  done after {time.monotonic() - begin:.0f} s", flush=True)
            if room in baseline and killed_percent(found) < killed_percent(baseline[room]):
                status = max(status, 1)
            if options.report:
                report = read_report(options.report, options.seed, options.count)
                report["rooms"][room] = found if options.report != BASELINE else {
                    "count": found["count"], "killed": found["killed"]}  # survivors get stale
                options.report.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")
    return status


def main():
    options = arguments()
    mutants = {room: mutants_of(room, options) for room in ROOMS if room in (options.rooms or ROOMS)}
    if options.list:
        for mutant in [mutant for room in mutants.values() for mutant in room]:
            print(f"{mutant.file}:{mutant.line}: {mutant.before} -> {mutant.after}")
        return 0
    equivalents = Equivalents(json.loads((HERE / "equivalent.json").read_text()))
    if not options.again:
        for file, before, after in equivalents.stale([mutant for room in mutants.values() for mutant in room]):
            print(f"equivalent.json: {file} has no such mutant any more: {before} -> {after}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as temporary:
        try:
            return try_rooms(mutants, options, equivalents, (options.scratch or pathlib.Path(temporary)).resolve())
        except RuntimeError as error:
            print(f"it does not build without a change: {error}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
