"""Judges what the ranks of one mpirun left: outcomes, times, choices, logs, and the report on them."""

import json
import re
import subprocess

EXCEPTIONS_OF_THE_REGION = ("Injected",)


class Judge:
    """Limits, and the program that reads logs (None: there is none)."""

    def __init__(self, deadline_ms, grace_ms, margin_ms, report):
        self.limit_ms = deadline_ms + grace_ms + margin_ms
        self.report = report

    def repetition(self, run, case, place, culprit, repetition):
        """Returns problems, as texts, and the slowest survivor's time from the injection in ms."""
        problems = []
        injected = run.ranks[culprit].find("inject", repetition=repetition)
        if injected is None:
            return [f"rank {culprit}: nothing was injected"], 0.0
        slowest = 0.0
        for rank in run.ranks:
            expected = case.expected(place, rank.number == culprit)
            for suffix in case.regions:
                seen = outcome(rank, f"fault-{repetition}", suffix)
                found, elapsed_ms = self._one_rank(run, case, rank, culprit, injected, expected, seen)
                problems += found
                if rank.number != culprit:
                    slowest = max(slowest, elapsed_ms)
        region = f"fault-{repetition}"
        problems += choices_differ(run.ranks, region)
        problems += self._logs(run, case, culprit, region)
        if self.report is not None:
            named = culprit if case.culprit_known(place, len(run.ranks)) else None
            for suffix in case.regions:
                problems += report_wrong(self.report, run, case, region + suffix, named, culprit)
        return problems, slowest

    def ends(self, run):
        """A rank whose last run returned or threw leaves as a program does that is done."""
        for rank in run.ranks:
            if rank.find("end") is not None and rank.ended() != "exit 0":
                yield f"rank {rank.number}: after its last run its process ended with {rank.ended() or 'nothing'}"

    def healthy(self, run, repetition):
        """The run without fault before a repetition, or after the last one."""
        region = f"healthy-{repetition}"
        problems = []
        for rank in run.ranks:
            seen = rank.find("out", region=region)
            if seen is None or seen["outcome"] != "ok":
                problems.append(f"rank {rank.number}: the run of region {region} did not go well: {seen}")
        return problems + choices_differ(run.ranks, region)

    def _one_rank(self, run, case, rank, culprit, injected, expected, seen):
        name = f"rank {rank.number}"
        problems = []
        if seen["outcome"] not in expected.outcomes:
            problems.append(f"{name}: expected {' or '.join(expected.outcomes)}, got {describe(seen)}")
        begin_ns = injected["at_ns"]
        if rank.number == culprit and case.stops:
            begin_ns = max(begin_ns, run.woken_ns)
        elapsed_ms = max(0.0, (seen["at_ns"] - begin_ns) / 1e6)
        if elapsed_ms > self.limit_ms:
            problems.append(f"{name}: out after {elapsed_ms:.0f} ms, the limit is {self.limit_ms:.0f} ms")
        if "ranks" in seen and seen["outcome"] != "ok":
            problems += [f"{name}: {text}" for text in names_wrong(expected, seen, culprit, len(run.ranks))]
        return problems, elapsed_ms

    def _logs(self, run, case, culprit, region):
        problems = []
        for rank in run.ranks:
            if rank.number == culprit and not case.logs:
                continue
            events, damage = read_log(run.logs / f"rank-{rank.number}.jsonl")
            problems += [f"rank {rank.number}: {text}" for text in damage if rank.ended() != "signal 9"]
            for suffix in case.regions:
                seen = outcome(rank, region, suffix)
                problems += [f"rank {rank.number}: {text}" for text in log_wrong(events, seen)]
        return problems


def outcome(rank, region, suffix=""):
    """What the rank said of its run of the region; else how its process ended."""
    for record in rank.records:
        if record["event"] == "out" and record["region"] in (region + suffix, region + "-other"):
            return record
    if rank.exit is not None:
        return {"outcome": rank.ended(), "at_ns": rank.exit["at_ns"], "region": region + suffix}
    return {"outcome": "no end", "at_ns": 0, "region": region + suffix}


def describe(seen):
    text = seen["outcome"]
    if seen.get("message"):
        text += f" \"{seen['message']}\""
    return text


def names_wrong(expected, seen, culprit, ranks):
    named = seen["ranks"]
    right = {
        "": True,
        "culprit": named == [culprit],
        "includes": culprit in named,
        "majority": named == ([culprit] if ranks > 2 else [0, 1]),
    }[expected.names]
    if not right:
        yield f"the error should name rank {culprit}, it names {named}: {describe(seen)}"
    if expected.message not in seen["message"]:
        yield f"the error should say {expected.message}: {describe(seen)}"


def choices_differ(ranks, region):
    """In a run that went well on all ranks."""
    if any((rank.find("out", region=region) or {}).get("outcome") != "ok" for rank in ranks):
        return []
    texts = {(rank.find("choices", region=region) or {}).get("choices") for rank in ranks}
    if len(texts) != 1 or None in texts or "" in texts:
        return [f"region {region}: choices differ or are not there: {sorted(map(str, texts))}"]
    return []


def read_log(path):
    """Events, and what is wrong with the file."""
    if not path.exists():
        return [], ["no log"]
    events = []
    damage = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line:
            continue
        try:
            events.append(json.loads(line))
        except ValueError:
            damage.append(f"line {number} of its log is no JSON: {line[:80]!r}")
    return events, damage


def log_wrong(events, seen):
    """Does the log say how the run ended?"""
    of_region = [event for event in events if event["region"] == seen["region"]]
    ends = [event for event in of_region if event["event"] == "run_end"]
    if seen["outcome"] in ("exit 84", "exit 85"):
        blocked = [event for event in of_region if event["event"] == "blocked"]
        if len(blocked) != 1 or of_region[-1] != blocked[0]:
            yield "its log does not end with the event blocked"
        return
    if seen["outcome"].startswith(("exit", "signal", "no end")) or not of_region:
        return
    if not ends:
        yield f"no run_end in its log of region {seen['region']}"
        return
    expected_type = "" if seen["outcome"] == "ok" else seen["outcome"]
    if seen["outcome"] in EXCEPTIONS_OF_THE_REGION:
        expected_type = "region"
    if ends[-1]["error_type"] != expected_type:
        yield f"run_end says {ends[-1]['error_type']!r} instead of {expected_type!r}"
    if seen["outcome"] in ("CommunicationError", "RankMismatchError", "RegionFailedError"):
        if ends[-1]["blamed_ranks"] != seen["ranks"]:
            yield f"run_end blames {ends[-1]['blamed_ranks']}, the error names {seen['ranks']}"


def report_wrong(program, run, case, region, named, culprit):
    """Reads the logs with the report program. It must name the culprit, or tell what the culprit rejected."""
    command = [str(program), str(run.logs), "--region", region]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode not in (0, 1):
        return [f"the report ended with {done.returncode}: {done.stderr.decode(errors='replace')[:200]}"]
    if named is not None and not re.search(rf"culprit: rank {named}\b", text):
        lines = [line for line in text.splitlines() if "culprit" in line]
        return [f"the report should name rank {named}: {lines}"]
    if case.completes and f"rank {culprit}:" not in text:
        return [f"the report should say what was rejected on rank {culprit}"]
    return []
