#!/usr/bin/env python3
"""What run_region_faults.py accepts and refuses, on results that are made up for it."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing is written into the source tree

import region_cases
import region_checks

import fault_run

CASES = {case.name: case for case in region_cases.CASES}
LIMIT_MS = 3300
INJECTED_NS = 5_000_000_000
CULPRIT = 1


def ms(number):
    return INJECTED_NS + number * 1_000_000


class FakeRun:
    """Two ranks' results and logs of one mpirun, as the program leaves them."""

    def __init__(self, folder):
        self.run = fault_run.Run(pathlib.Path(folder), [fault_run.Rank(number) for number in range(2)])
        self.events = [[], []]
        for rank in self.run.ranks:
            rank.pid = 100 + rank.number
            rank.exit = {"code": 0, "signal": None, "at_ns": ms(3000)}
        self.healthy(0, -1000)

    def write(self, rank, event, at_ms, **fields):
        self.run.ranks[rank].records.append({"event": event, "at_ns": ms(at_ms), **fields})

    def find(self, rank, event, region="fault-0"):
        return self.run.ranks[rank].find(event, region=region)

    def remove(self, rank, event, region="fault-0"):
        self.run.ranks[rank].records.remove(self.find(rank, event, region))

    def log(self, rank, event, region="fault-0", **fields):
        self.events[rank].append({"event": event, "region": region, **fields})

    def inject(self):
        self.write(CULPRIT, "inject", 0, repetition=0)

    def out(self, rank, at_ms, outcome, ranks=(), region="fault-0", message="injected"):
        self.write(rank, "out", at_ms, region=region, outcome=outcome, message=message, ranks=list(ranks))
        error = {"ok": "", "Injected": "region"}.get(outcome, outcome)
        self.log(rank, "run_end", region, error_type=error, blamed_ranks=list(ranks))

    def checked(self, rank, at_ms, region="fault-0", while_tuning=0):
        self.write(
            rank, "checked", at_ms, region=region, while_tuning=while_tuning, afterwards=0, own_kernel=0, failure=""
        )

    def healthy(self, number, at_ms):
        region = f"healthy-{number}"
        for rank in range(2):
            self.out(rank, at_ms, "ok", region=region)
            self.write(rank, "choices", at_ms, region=region, choices="own {BLOCK: 128}")
            self.checked(rank, at_ms, region)

    def failed_call(self, rank):
        self.write(rank, "failed_call", 305, region="fault-0", failure="rank 1 did not come to the call within 0.3 s")

    def end(self, rank, at_ms=3000, code=0, number=None):
        if code == 0 and number is None:
            self.write(rank, "end", at_ms)
        self.run.ranks[rank].exit = {"code": code if number is None else None, "signal": number, "at_ns": ms(at_ms)}

    def judge(self, case):
        logs = self.run.logs
        logs.mkdir(exist_ok=True)
        for rank, events in enumerate(self.events):
            lines = "".join(json.dumps(event) + "\n" for event in events)
            (logs / f"rank-{rank}.jsonl").write_text(lines)
        return region_checks.RegionJudge(self.run, case, LIMIT_MS, None)


def completed(fake, layer_fails):
    fake.inject()
    for rank in range(2):
        if layer_fails:
            fake.failed_call(rank)
        fake.write(rank, "past", 950, region="fault-0")
        fake.out(rank, 9000, "ok")  # the tuning goes on for long
        fake.write(rank, "choices", 9000, region="fault-0", choices="own {BLOCK: 128}")
        fake.checked(rank, 9000, while_tuning=600 * 264 if layer_fails else 0)
        fake.log(rank, "search", failed_count=1 if layer_fails else 0)
    fake.healthy(1, 9500)
    for rank in range(2):
        fake.end(rank, 9900)


def ended_alike(fake, culprit, others, named):
    fake.inject()
    fake.failed_call(0)
    fake.out(CULPRIT, 320, culprit, named)
    fake.out(0, 320, others, named)
    for rank in range(2):
        fake.checked(rank, 400, while_tuning=0 if rank == CULPRIT else 600 * 264)
    fake.healthy(1, 1000)
    for rank in range(2):
        fake.end(rank)


def lost(fake):
    fake.inject()
    fake.failed_call(0)
    fake.out(0, 2300, "CommunicationError", [CULPRIT])
    fake.end(0, 2400)
    fake.end(CULPRIT, 100, number=9)


def stopped(fake):
    lost(fake)
    fake.run.woken_ns = ms(2500)
    fake.end(CULPRIT, 2550, number=9)


def occupied(fake):
    fake.inject()
    fake.failed_call(0)
    fake.out(CULPRIT, 1510, "Error")
    fake.out(0, 1510, "RegionFailedError", [CULPRIT])
    for rank in range(2):
        fake.end(rank, 1600)


MAKE = {
    "config": lambda fake: completed(fake, layer_fails=False),
    "throws": lambda fake: ended_alike(fake, "Injected", "RegionFailedError", [CULPRIT]),
    "skips": lambda fake: ended_alike(fake, "RankMismatchError", "RankMismatchError", [0, 1]),
    "killed": lost,
    "stopped": stopped,
    "flag": lambda fake: completed(fake, layer_fails=True),
    "spins": occupied,
}


class RegionFaults(unittest.TestCase):
    """Each test makes the results of one fault, or of a run without one, and spoils them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.count = 0

    def fake(self, name):
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        fake = FakeRun(folder)
        MAKE[name](fake)
        return fake

    def refused(self, name, fake, text):
        problems, _ = fake.judge(CASES[name]).fault(CULPRIT, 0)
        self.assertTrue(any(text in problem for problem in problems), f"no '{text}' in {problems}")

    def test_every_fault_as_it_should_end_is_accepted(self):
        self.assertEqual(list(MAKE), list(CASES))
        for name, case in CASES.items():
            with self.subTest(name):
                problems, slowest_ms = self.fake(name).judge(case).fault(CULPRIT, 0)
                self.assertEqual(problems, [])
                self.assertGreater(slowest_ms, 0)

    def test_the_time_of_a_run_that_completes_ends_with_the_batch_of_the_fault(self):
        _, slowest_ms = self.fake("flag").judge(CASES["flag"]).fault(CULPRIT, 0)
        self.assertEqual(slowest_ms, 950)

    def test_a_survivor_may_leave_with_the_exit_code_of_the_deadline(self):
        for name in ("killed", "stopped", "spins"):
            with self.subTest(name):
                fake = self.fake(name)
                fake.remove(0, "out")
                fake.remove(0, "failed_call")
                fake.run.ranks[0].records = [r for r in fake.run.ranks[0].records if r["event"] != "end"]
                fake.end(0, 2000, code=84)
                fake.events[0] = [event for event in fake.events[0] if event["region"] != "fault-0"]
                fake.log(0, "blocked")
                self.assertEqual(fake.judge(CASES[name]).fault(CULPRIT, 0)[0], [])

    def test_too_late_is_refused(self):
        for name, event in (("killed", "out"), ("spins", "out"), ("throws", "out"), ("flag", "past")):
            with self.subTest(name):
                fake = self.fake(name)
                fake.find(0, event)["at_ns"] = ms(LIMIT_MS + 1)
                self.refused(name, fake, "rank 0: out after 3301 ms")

    def test_another_error_or_exit_code_is_refused(self):
        for name in CASES:
            with self.subTest(name):
                fake = self.fake(name)
                fake.find(0, "out")["outcome"] = "another exception"
                self.refused(name, fake, "rank 0: expected ")
        fake = self.fake("killed")
        fake.end(CULPRIT, 100, code=84)
        self.refused("killed", fake, "rank 1: expected signal 9")

    def test_an_error_that_names_another_rank_is_refused(self):
        for name in ("throws", "skips", "killed", "stopped", "spins"):
            with self.subTest(name):
                fake = self.fake(name)
                fake.find(0, "out")["ranks"] = [0]
                self.refused(name, fake, "the error should name rank 1")

    def test_a_fault_that_was_not_injected_is_refused(self):
        fake = self.fake("flag")
        fake.run.ranks[CULPRIT].records = [r for r in fake.run.ranks[CULPRIT].records if r["event"] != "inject"]
        self.refused("flag", fake, "nothing was injected")

    def test_wrong_results_are_refused(self):
        for field in ("afterwards", "own_kernel"):
            for region in ("healthy-0", "fault-0", "healthy-1"):
                with self.subTest(f"{field} {region}"):
                    fake = self.fake("flag")
                    fake.find(CULPRIT, "checked", region)[field] = 3
                    self.refused("flag", fake, f"rank 1: wrong after region {region}: 3 elements")
        fake = self.fake("config")
        fake.find(0, "checked")["while_tuning"] = 1
        self.refused("config", fake, "1 elements of the layer while tuning")
        fake = self.fake("throws")
        fake.find(0, "checked")["failure"] = "rank 1 did not come"
        self.refused("throws", fake, "the workspace, which says: rank 1 did not come")

    def test_more_wrong_elements_than_failed_calls_have_are_refused(self):
        fake = self.fake("flag")
        fake.find(0, "checked")["while_tuning"] = 40 * 600 * 264
        self.refused("flag", fake, "elements of the layer while tuning")

    def test_results_that_were_not_checked_are_refused(self):
        fake = self.fake("skips")
        fake.remove(0, "checked")
        self.refused("skips", fake, "the results of region fault-0 were not checked")

    def test_a_call_that_did_not_fail_is_refused(self):
        for name in ("throws", "killed", "flag", "spins"):
            with self.subTest(name):
                fake = self.fake(name)
                fake.remove(0, "failed_call")
                self.refused(name, fake, "its call of the layer did not fail")
        fake = self.fake("flag")
        fake.find(0, "checked")["while_tuning"] = 0
        self.refused("flag", fake, "its result is not NaN")

    def test_an_assignment_that_is_not_rejected_everywhere_is_refused(self):
        fake = self.fake("flag")
        for event in fake.events[CULPRIT]:
            if event["event"] == "search":
                event["failed_count"] = 0
        self.refused("flag", fake, "rank 1: its log has no assignment that failed")

    def test_choices_that_differ_are_refused(self):
        fake = self.fake("config")
        fake.find(0, "choices")["choices"] = "own {BLOCK: 64}"
        self.refused("config", fake, "choices differ")

    def test_logs_that_cannot_be_read_are_refused(self):
        fake = self.fake("flag")
        judge_before = fake.judge(CASES["flag"])
        (fake.run.logs / "rank-0.jsonl").write_text('{"event": "hel')
        judge = region_checks.RegionJudge(judge_before.run, CASES["flag"], LIMIT_MS, None)
        problems, _ = judge.fault(CULPRIT, 0)
        self.assertTrue(any("line 1 of its log is no event" in problem for problem in problems), problems)
        self.assertTrue(any("rank 0: there is no log of it" in problem for problem in problems), problems)

    def test_processes_that_are_left_are_refused(self):
        fake = self.fake("spins")
        fake.run.left_over = [4711]
        self.refused("spins", fake, "processes were left: [4711]")

    def test_a_run_without_fault_is_accepted_only_with_exit_code_0_and_right_results(self):
        def fake_none():
            fake = self.fake("config")
            fake.run.ranks = [fault_run.Rank(number) for number in range(2)]
            fake.healthy(0, 0)
            fake.healthy(1, 100)
            for rank in range(2):
                fake.end(rank, 200)
            return fake

        self.assertEqual(fake_none().judge(region_cases.NONE).none(0), [])
        fake = fake_none()
        fake.end(0, 200, code=84)
        self.assertIn("rank 0: it ended with exit 84 instead of exit 0", fake.judge(region_cases.NONE).none(0))
        fake = fake_none()
        fake.find(1, "checked", "healthy-1")["while_tuning"] = 7
        self.assertIn(
            "rank 1: wrong after region healthy-1: 7 elements of the layer while tuning",
            fake.judge(region_cases.NONE).none(0),
        )

    def test_a_stream_is_held_longer_than_the_budget_and_shorter_than_the_deadline(self):
        self.assertEqual(region_cases.hold_ms(CASES["flag"], 1500, 300), 900)
        self.assertEqual(region_cases.hold_ms(CASES["flag"], 10_000, 300), 2000)
        self.assertEqual(region_cases.hold_ms(CASES["spins"], 1500, 300), 15_000)

    def test_the_reason_of_a_rank_that_cannot_run_is_told(self):
        fake = self.fake("config")
        self.assertEqual(region_checks.skipped(fake.run), "")
        fake.write(1, "skipped", 0, reason="no CUDA driver")
        self.assertEqual(region_checks.skipped(fake.run), "no CUDA driver")


if __name__ == "__main__":
    unittest.main()
