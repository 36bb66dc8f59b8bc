"""Judges what the ranks of one mpirun left: outcomes, times, choices, logs, and the report on them."""

import json

import fault_report

EXCEPTIONS_OF_THE_REGION = ("Injected",)


class Judge:
    """Of one mpirun. `report` is the program that reads logs, None where there is none."""

    def __init__(self, run, case, limit_ms, report):
        self.run = run
        self.case = case
        self.limit_ms = limit_ms
        self.logs = [Log(run.logs / f"rank-{rank.number}.jsonl") for rank in run.ranks]
        self.report = None if report is None else fault_report.Report(report, run.logs)

    def repetition(self, place, culprit, repetition):
        """Returns problems, as texts, and the slowest survivor's time from the injection in ms."""
        injected = self.run.ranks[culprit].find("inject", repetition=repetition)
        if injected is None:
            ends = ", ".join(rank.ended() or "no end" for rank in self.run.ranks)
            return [f"rank {culprit}: nothing was injected; the ranks ended with {ends}"], 0.0
        region = f"fault-{repetition}"
        problems = []
        slowest = 0.0
        for rank in self.run.ranks:
            expected = self.case.expected(place, rank.number == culprit)
            for suffix in self.case.regions:
                seen = outcome(rank, region, suffix)
                found, elapsed_ms = self._one_rank(rank, culprit, injected, expected, seen)
                problems += [f"rank {rank.number}: {text}" for text in found]
                if rank.number != culprit:
                    slowest = max(slowest, elapsed_ms)
        problems += choices_differ(self.run.ranks, region)
        if self.report is not None:
            known = self.case.culprit_known(place, len(self.run.ranks))
            for suffix in self.case.regions:
                problems += self.report.wrong(region + suffix, culprit, known, self.case.rejects_config)
        return problems, slowest

    def healthy(self, repetition):
        """The run without fault before a repetition, or after the last one."""
        region = f"healthy-{repetition}"
        problems = []
        for rank in self.run.ranks:
            seen = rank.find("out", region=region)
            if seen is None or seen["outcome"] != "ok":
                problems.append(f"rank {rank.number}: the run of region {region} did not go well: {seen}")
        return problems + choices_differ(self.run.ranks, region)

    def whole(self):
        """What concerns the mpirun, not one repetition."""
        if self.run.timed_out:
            yield "mpirun did not end"
        if self.run.left_over:
            yield f"processes were left: {self.run.left_over}"
        for rank, log in zip(self.run.ranks, self.logs):
            if rank.find("end") is not None and rank.ended() != "exit 0":
                yield f"rank {rank.number}: after its last run its process ended with {rank.ended() or 'nothing'}"
            if rank.ended() != "signal 9":  # which may end a process in the middle of a line
                yield from (f"rank {rank.number}: {text}" for text in log.damage)
        if self.report is not None and self.report.failure:
            yield self.report.failure

    def out_ns(self, rank, seen):
        """When the rank was done with the fault."""
        return seen["at_ns"]

    def _one_rank(self, rank, culprit, injected, expected, seen):
        problems = []
        if seen["outcome"] not in expected.outcomes:
            problems.append(f"expected {' or '.join(expected.outcomes)}, got {describe(seen)}")
        begin_ns = injected["at_ns"]
        if self.case.all_stop or (rank.number == culprit and self.case.stops):
            begin_ns = max(begin_ns, self.run.woken_ns)
        elapsed_ms = max(0.0, (self.out_ns(rank, seen) - begin_ns) / 1e6)
        # After all were stopped nobody gives up: the run takes as long as its tuning.
        if elapsed_ms > self.limit_ms and not self.case.all_stop:
            problems.append(f"out after {elapsed_ms:.0f} ms, the limit is {self.limit_ms:.0f} ms")
        if "ranks" in seen and seen["outcome"] != "ok":
            problems += names_wrong(expected, seen, culprit, len(self.run.ranks))
        if rank.number != culprit or self.case.logs:
            problems += self.logs[rank.number].wrong(seen)
        return problems, elapsed_ms


class Log:
    """One rank's events, by region."""

    def __init__(self, path):
        self.regions = {}
        self.damage = []
        data = path.read_bytes() if path.exists() else b""
        for number, line in enumerate(data.split(b"\n"), 1):
            try:
                if line:
                    event = json.loads(line)
                    self.regions.setdefault(event["region"], []).append(event)
            except (ValueError, KeyError):
                self.damage.append(f"line {number} of its log is no event: {line[:80]!r}")

    def wrong(self, seen):
        """Does it say how the run ended?"""
        events = self.regions.get(seen["region"], [])
        if seen["outcome"] in ("exit 84", "exit 85"):
            blocked = [event for event in events if event["event"] == "blocked"]
            if len(blocked) != 1 or events[-1] != blocked[0]:
                yield "its log does not end with the event blocked"
            return
        if seen["outcome"].startswith(("exit", "signal", "no end")):
            return
        ends = [event for event in events if event["event"] == "run_end"]
        if not ends:
            if seen["outcome"] != "InvalidArgument":  # thrown before there was a log
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
