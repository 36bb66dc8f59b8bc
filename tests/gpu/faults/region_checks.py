"""Judges what the ranks of one mpirun left: what run_faults.py judges, and the layer's results."""

import region_cases  # first: it tells where the next one is

import fault_checks


class RegionJudge(fault_checks.Judge):
    """Of one mpirun, with one repetition."""

    def out_ns(self, rank, seen):
        """A run that completes goes on for a while; its rank is out of the fault when it begins the next batch."""
        if self.case.completes and seen["outcome"] == "ok":
            past = rank.find("past", region=seen["region"])
            return seen["at_ns"] if past is None else past["at_ns"]
        return seen["at_ns"]

    def fault(self, culprit, number):
        """Returns problems, as texts, and the slowest survivor's time from the injection in ms."""
        problems = self.healthy_and_right(number)
        found, slowest = self.repetition(region_cases.PLACE, culprit, number)
        problems += found
        region = f"fault-{number}"
        if self.case.goes_on:
            problems += self.results_wrong(region, self.case.layer_fails)
            problems += self.healthy_and_right(number + 1)
        if self.case.layer_fails:
            problems += self.call_not_failed(region, culprit)
        if self.case.hold == "short":
            problems += self.not_rejected(region)
        return problems + list(self.whole()), slowest

    def none(self, number):
        """Problems of a run without a fault."""
        problems = self.healthy_and_right(number) + self.healthy_and_right(number + 1)
        for rank in self.run.ranks:
            if rank.ended() != "exit 0":
                problems.append(f"rank {rank.number}: it ended with {rank.ended() or 'nothing'} instead of exit 0")
        return problems + list(self.whole())

    def whole(self):
        yield from super().whole()
        # A signal may end a process in the middle of a line.
        cut = any(rank.ended() == "signal 9" for rank in self.run.ranks)
        if self.report is not None and self.report.damaged and not cut:
            yield "the report says that lines of the logs are damaged"
        for rank, log in zip(self.run.ranks, self.logs):
            if not log.regions:
                yield f"rank {rank.number}: there is no log of it"

    def healthy_and_right(self, number):
        return self.healthy(number) + self.results_wrong(f"healthy-{number}", False)

    def results_wrong(self, region, layer_fails):
        """Of the runs of the region while it was tuned, and of some calls afterwards."""
        problems = []
        for rank in self.run.ranks:
            checked = rank.find("checked", region=region)
            if checked is None:
                problems.append(f"rank {rank.number}: the results of region {region} were not checked")
                continue
            wrong = []
            if checked["while_tuning"] > (region_cases.MOST_OF_FAILED_CALLS if layer_fails else 0):
                wrong.append(f"{checked['while_tuning']} elements of the layer while tuning")
            if checked["afterwards"] > 0:
                wrong.append(f"{checked['afterwards']} elements of the layer afterwards")
            if checked["own_kernel"] > 0:
                wrong.append(f"{checked['own_kernel']} elements of the own kernel")
            if checked["failure"]:
                wrong.append(f"the workspace, which says: {checked['failure']}")
            problems += [f"rank {rank.number}: wrong after region {region}: {text}" for text in wrong]
        return problems

    def call_not_failed(self, region, culprit):
        """The others' call must have given up, within its budget, and left no result that looks right."""
        problems = []
        for rank in self.run.ranks:
            if rank.number == culprit:
                continue
            if rank.find("failed_call", region=region) is None:
                # One that was ended before its settle had no time to say so.
                if rank.ended() != region_cases.BLOCKED:
                    problems.append(f"rank {rank.number}: its call of the layer did not fail")
                continue
            checked = rank.find("checked", region=region)
            if checked is not None and checked["while_tuning"] == 0:
                problems.append(f"rank {rank.number}: its call failed, and its result is not NaN")
        return problems

    def not_rejected(self, region):
        """All ranks must know that the assignment has failed."""
        problems = []
        for rank, log in zip(self.run.ranks, self.logs):
            searches = [event for event in log.regions.get(region, []) if event["event"] == "search"]
            if not any(event["failed_count"] > 0 for event in searches):
                problems.append(f"rank {rank.number}: its log has no assignment that failed")
        return problems


def skipped(run):
    """Why the program could not run here; empty if it could."""
    for rank in run.ranks:
        record = rank.find("skipped")
        if record is not None:
            return record["reason"]
    return ""
