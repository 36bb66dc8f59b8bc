#!/usr/bin/env python3
"""Tests what needs no compiler: which mutants a source has, in which order they are tried, and what is reported."""

import argparse
import concurrent.futures
import contextlib
import io
import pathlib
import tempfile
import threading
import time
import unittest
import unittest.mock

import mutate
import mutations
import scratch_build


def changes(source):
    """(before, after) of every mutant of a source."""
    return {(mutant.before, mutant.after) for mutant in mutations.source_mutants("a.cpp", source)}


def afters(source, kind=None):
    return {mutant.after for mutant in mutations.source_mutants("a.cpp", source) if kind in (None, mutant.kind)}


class Tokens(unittest.TestCase):
    def test_comments_texts_includes_and_attributes_stay_as_they_are(self):
        for source in ("// a < b 1\n", "/* a < b\n 1 */\n", "/// \\file 1 + 2\n", 'auto s = "a < 1 \\" + 2";\n',
                       "auto c = '1';\n", 'auto r = R"x(a < 1)" 2)x";\n', "#include <a1.hpp>\n", "#pragma once 1\n",
                       "  #define A 1 + \\\n  2\n", "[[deprecated(1)]] int f();\n", "std::vector<int> v;\n", "T&& f(T* t);\n"):
            self.assertEqual(afters(source), set(), source)

    def test_code_between_them_is_mutated(self):
        source = '/* 7 */ f("8", a < 2); // 9\n'
        self.assertIn('/* 7 */ f("8", a <= 2); // 9', afters(source))
        self.assertNotIn('/* 7 */ f("8", a < 2); // 10', afters(source))
        self.assertNotIn('/* 7 */ f("9", a < 2); // 9', afters(source))

    def test_numbers_with_marks_suffixes_and_exponents_are_one_token(self):
        texts = [token.text for token in mutations.tokens_of("1'000 1e-12 0x1fU 6.5 .5")]
        self.assertEqual(texts, ["1'000", "1e-12", "0x1fU", "6.5", ".5"])


class Mutants(unittest.TestCase):
    def test_binary_operators(self):
        self.assertEqual(afters("x = a <= b;\n", "operator"), {"x = a < b;"})
        self.assertEqual(afters("x = a && b;\n", "operator"), {"x = a || b;"})
        self.assertEqual(afters("x = a + b;\n", "operator"), {"x = a - b;"})
        self.assertEqual(afters("x += a;\n", "operator"), {"x -= a;"})
        self.assertEqual(afters("x = *a;\n", "operator"), set())

    def test_words(self):
        self.assertEqual(afters("return true;\n"), {"return false;"})
        self.assertEqual(afters("continue;\n"), {"break;"})
        self.assertEqual(afters("return std::min(a, b);\n"), {"return std::max(a, b);"})

    def test_integers_but_nothing_below_zero(self):
        self.assertEqual(afters("return 3;\n"), {"return 2;", "return 4;"})
        self.assertEqual(afters("return 0;\n"), {"return 1;"})
        self.assertEqual(afters("return 1U;\n"), {"return 0U;", "return 2U;"})
        self.assertEqual(afters("return 0.5;\n"), set())

    def test_a_condition_is_negated_as_a_whole(self):
        self.assertEqual(afters("if (a && f(b)) {\n", "condition"), {"if (!(a && f(b))) {"})
        self.assertEqual(afters("while (const auto a = f()) {\n", "condition"), set())

    def test_assignments_and_calls_are_dropped_and_declarations_are_not(self):
        source = "{\n  int a = 0;\n  std::vector<T> v(a);\n  a = 1;\n  v[i].f(a);\n  ++a;\n  return f();\n}\n"
        dropped = {mutant.before for mutant in mutations.source_mutants("a.cpp", source) if mutant.kind == "statement"}
        self.assertEqual(dropped, {"a = 1;", "v[i].f(a);", "++a;"})

    def test_reserve_only_saves_time(self):
        self.assertEqual(afters("{\n  v.reserve(a.size() + 1);\n}\n"), set())

    def test_a_statement_inside_of_a_lambda_and_one_over_several_lines_are_dropped(self):
        source = "{\n  g([&] { a = b; });\n  h(a,\n    b);\n}\n"
        dropped = [mutant for mutant in mutations.source_mutants("a.cpp", source) if mutant.kind == "statement"]
        self.assertEqual([mutant.apply(source) for mutant in dropped],
                         ["{\n  ;\n  h(a,\n    b);\n}\n", "{\n  g([&] { ; });\n  h(a,\n    b);\n}\n",
                          "{\n  g([&] { a = b; });\n  ;\n}\n"])

    def test_the_counting_of_a_loop_stays(self):
        self.assertEqual(afters("for (i = k; i < n; ++i) {\n", "operator"), {"for (i = k; i <= n; ++i) {"})

    def test_every_mutant_differs_from_the_source_in_the_line_that_it_names(self):
        file = "src/contextual/policy/statistics.cpp"
        source = (mutate.ROOT / file).read_text()
        found = mutations.source_mutants(file, source)
        self.assertGreater(len(found), 5)
        for mutant in found:
            changed = mutant.apply(source)
            self.assertNotEqual(changed, source)
            self.assertEqual(changed.splitlines()[mutant.line - 1].strip(), mutant.after)
            self.assertEqual(source.splitlines()[mutant.line - 1].strip(), mutant.before)


SOURCE = "{\n  a = b + 1;\n  c = d < 2;\n  a = b + 1;\n}\n"


class Order(unittest.TestCase):
    def order(self, seed, source=SOURCE):
        return [(mutant.before, mutant.after)
                for mutant in mutate.in_order(mutations.source_mutants("a.cpp", source), seed)]

    def test_the_seed_decides_and_nothing_else(self):
        self.assertEqual(self.order(1), self.order(1))
        self.assertNotEqual(self.order(1), self.order(2))
        self.assertEqual(sorted(self.order(1)), sorted(self.order(2)))

    def test_the_order_of_old_mutants_stays_when_lines_are_added(self):
        longer = "{\n  e = f > 7;\n" + SOURCE[2:]
        old = set(self.order(1))
        self.assertEqual([name for name in self.order(1, longer) if name in old], self.order(1))


class Trying(unittest.TestCase):
    def setUp(self):
        self.mutants = mutations.source_mutants("a.cpp", SOURCE)
        self.tried = []
        quiet = contextlib.redirect_stdout(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def try_them(self, count, jobs=1, equivalent=(), outcome=lambda mutant: ("killed", "")):
        entries = [{"file": "a.cpp", "before": mutant.before, "after": mutant.after, "reason": "the same"}
                   for mutant in equivalent]

        def outcome_of(mutant):
            self.tried.append(mutant)
            return outcome(mutant)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return mutate.try_mutants(self.mutants, count, pool, mutate.Equivalents(entries), outcome_of)

    def test_so_many_are_tried_as_were_asked_for(self):
        self.assertEqual([result.mutant for result in self.try_them(4)], self.mutants[:4])

    def test_what_does_not_compile_is_replaced_by_the_next(self):
        results = self.try_them(3, outcome=lambda mutant: ("killed" if mutant.kind == "operator" else "does not compile", ""))
        self.assertEqual(sum(result.outcome == "killed" for result in results), 3)
        self.assertEqual([result.mutant for result in results], self.mutants[:len(results)])

    def test_an_equivalent_one_is_not_tried_and_is_replaced_by_the_next(self):
        equivalent = self.mutants[1]
        results = self.try_them(3, equivalent=[equivalent])
        self.assertNotIn(equivalent, self.tried)
        self.assertEqual([result.detail for result in results if result.outcome == "equivalent"], ["the same"])
        self.assertEqual(sum(result.outcome == "killed" for result in results), 3)

    def test_the_same_are_tried_whichever_job_is_done_first(self):
        lock = threading.Lock()

        def late_or_not(mutant):
            with lock:
                late = len(self.tried) % 2
            time.sleep(0.01 * late)
            return ("survived" if mutant.kind == "statement" else "does not compile", "")

        alone = [result.mutant for result in self.try_them(2, 1, outcome=late_or_not)]
        self.assertEqual([result.mutant for result in self.try_them(2, 4, outcome=late_or_not)], alone)

    def test_the_percentage_is_of_those_that_count(self):
        outcomes = iter(["killed", "does not compile", "survived", "is not linked", "killed", "killed"])
        results = self.try_them(4, outcome=lambda mutant: (next(outcomes), ""))
        room = mutate.summary(results)
        survivor = results[2].mutant
        self.assertEqual(room, {"count": 4, "killed": 3, "survivors": [
            {"file": "a.cpp", "before": survivor.before, "after": survivor.after}]})
        text = mutate.room_text("tuning", room, {"count": 2, "killed": 1, "survivors": []})
        self.assertIn("tuning: killed 3 of 4, 75.0 % (baseline 50.0 %)", text)
        self.assertIn("+ " + survivor.after, text)

    def test_survivors_of_a_report_can_be_tried_again(self):
        results = self.try_them(4, outcome=lambda mutant: ("survived" if mutant.kind == "operator" else "killed", ""))
        survivors = [result.mutant for result in results if result.outcome == "survived"]
        tried_again = mutate.again(self.mutants, {"rooms": {"a": mutate.summary([]), "b": mutate.summary(results)}})
        self.assertTrue(survivors)
        self.assertTrue(set(survivors) <= set(tried_again))
        self.assertTrue(all(mutant.kind == "operator" for mutant in tried_again))


class FakeBuild:
    """Stands for scratch_build: a build that has the programs of some rooms, whose tests kill every mutant but some."""

    def __init__(self, rooms, surviving=(), failing=()):
        self.targets = {mutate.ROOMS[room].program for room in rooms}
        self.built = []
        self._surviving = surviving
        self._failing = {mutate.ROOMS[room].program for room in failing}

    def ScratchBuild(self, root, directory):
        return self

    def build(self, programs, jobs):
        self.built += programs

    def Program(self, scratch, path):
        if path in self._failing:
            raise RuntimeError("a test failed")
        return self

    def outcome_of(self, mutant):
        return "survived" if mutant in self._surviving else "killed", ""


class Rooms(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.output = self.enterContext(contextlib.redirect_stdout(io.StringIO()))
        self.errors = self.enterContext(contextlib.redirect_stderr(io.StringIO()))
        self.mutants = mutations.source_mutants("a.cpp", SOURCE)
        self.enterContext(unittest.mock.patch.object(mutate, "BASELINE", self.folder / "baseline.json"))

    def try_rooms(self, rooms, build, **changed):
        options = argparse.Namespace(seed=1, count=4, jobs=2, only=[], again=None, report=None)
        vars(options).update(changed)
        with unittest.mock.patch.object(mutate, "scratch_build", build):
            return mutate.try_rooms({room: self.mutants for room in rooms}, options, mutate.Equivalents([]), self.folder)

    def report(self):
        return mutate.json.loads(mutate.BASELINE.read_text())

    def test_each_has_sources_and_a_program_of_tests(self):
        for name, room in mutate.ROOMS.items():
            self.assertTrue(mutate.chosen_files(mutate.ROOT, name, []), name)
            folder, program = room.program.rsplit("/", 1)
            text = (mutate.ROOT / folder / "CMakeLists.txt").read_text()
            self.assertIn(f"contextual_add_unit_test({program.removeprefix('test_')} ", text)

    def test_every_folder_of_the_library_is_one(self):
        folders = {path.name for path in (mutate.ROOT / "src/contextual").iterdir() if path.is_dir()}
        self.assertEqual(folders - set(mutate.ROOMS), set())

    def test_no_source_is_in_two(self):
        files = [file for room in mutate.ROOMS for file in mutate.chosen_files(mutate.ROOT, room, [])]
        self.assertEqual(len(files), len(set(files)))

    def test_a_lower_rate_than_the_baseline_of_the_same_mutants_is_an_exit_status(self):
        worse = FakeBuild(["record"], surviving=self.mutants[:2])
        self.assertEqual(self.try_rooms(["record"], worse), 0)  # there is no baseline yet
        self.assertEqual(self.try_rooms(["record"], FakeBuild(["record"]), report=mutate.BASELINE), 0)
        self.assertEqual(self.try_rooms(["record"], worse), 1)
        self.assertIn("killed 2 of 4, 50.0 % (baseline 100.0 %)", self.output.getvalue())
        self.assertEqual(self.try_rooms(["record"], worse, seed=2), 0)
        self.assertEqual(self.try_rooms(["record"], worse, only=["a.cpp"]), 0)

    def test_rooms_of_other_runs_stay_in_a_report_of_the_same_mutants(self):
        for room in ("record", "launch"):
            self.try_rooms([room], FakeBuild([room]), report=mutate.BASELINE)
        self.assertEqual(self.report(), {"seed": 1, "count": 4, "rooms": {
            room: {"count": 4, "killed": 4} for room in ("record", "launch")}})
        self.try_rooms(["sync"], FakeBuild(["sync"]), report=mutate.BASELINE, seed=2)
        self.assertEqual(list(self.report()["rooms"]), ["sync"])

    def test_one_that_this_machine_cannot_build_is_left_out_by_name(self):
        build = FakeBuild(["record"])
        self.assertEqual(self.try_rooms(["cuda", "record"], build), 0)
        self.assertEqual(build.built, [mutate.ROOMS["record"].program])
        self.assertIn("cuda: left out", self.errors.getvalue())

    def test_one_whose_tests_fail_without_a_change_does_not_stop_the_others(self):
        build = FakeBuild(["cuda", "record"], failing=["cuda"])
        self.assertEqual(self.try_rooms(["cuda", "record"], build, report=mutate.BASELINE), 2)
        self.assertEqual(list(self.report()["rooms"]), ["record"])
        self.assertIn("cuda: its tests fail without a change: a test failed", self.errors.getvalue())


class EquivalentList(unittest.TestCase):
    def test_an_entry_whose_line_is_gone_is_named(self):
        entries = [{"file": "a.cpp", "before": "a = b + 1;", "after": "a = b - 1;", "reason": ""},
                   {"file": "a.cpp", "before": "gone = 1;", "after": "gone = 2;", "reason": ""}]
        stale = mutate.Equivalents(entries).stale(mutations.source_mutants("a.cpp", SOURCE))
        self.assertEqual(stale, [("a.cpp", "gone = 1;", "gone = 2;")])

    def test_every_entry_has_a_reason(self):
        for entry in mutate.json.loads((mutate.HERE / "equivalent.json").read_text()):
            self.assertEqual(set(entry), {"file", "before", "after", "reason"})
            self.assertGreater(len(entry["reason"]), 20, entry)


class Build(unittest.TestCase):
    def test_a_command_that_hangs_is_ended(self):
        begin = time.monotonic()
        self.assertEqual(scratch_build.run(["sh", "-c", "sleep 60"], "/", 0.2)[0], None)
        self.assertLess(time.monotonic() - begin, 30)

    def test_the_failing_test_is_named_and_not_one_that_warned_before(self):
        def heading(name):
            return "-" * 79 + "\n" + name + "\n" + "-" * 79 + "\nfile.cpp:12\n" + "." * 79 + "\n"

        output = ("Filters: x\n\n" + "~" * 79 + "\ntest is a program\n\n" + heading("pins warn") + "\nwarning:\n  skipped\n\n" +
                  heading("JointSearch finds\n  what it should"))
        self.assertEqual(scratch_build.failure(output), "by JointSearch finds what it should")

    def test_files_that_are_equal_keep_their_times_in_the_copy(self):
        with tempfile.TemporaryDirectory() as name:
            root, copy = pathlib.Path(name) / "root", pathlib.Path(name) / "copy"
            root.mkdir()
            scratch_build.checked(["git", "init", "-q", root], name)
            (root / "a.cpp").write_text("1")
            (root / "b.cpp").write_text("1")
            scratch_build.copy_repository(root, copy)
            times = {path.name: path.stat().st_mtime_ns for path in copy.iterdir()}
            time.sleep(0.02)
            (root / "a.cpp").write_text("2")
            (root / "b.cpp").touch()
            scratch_build.copy_repository(root, copy)
            self.assertNotEqual((copy / "a.cpp").stat().st_mtime_ns, times["a.cpp"])
            self.assertEqual((copy / "b.cpp").stat().st_mtime_ns, times["b.cpp"])
            (root / "b.cpp").unlink()
            scratch_build.copy_repository(root, copy)
            self.assertFalse((copy / "b.cpp").exists())


if __name__ == "__main__":
    unittest.main()
