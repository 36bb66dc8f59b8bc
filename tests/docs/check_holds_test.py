#!/usr/bin/env python3
"""The check of what must always hold finds rows without tests, and tests without rows."""

import pathlib
import tempfile
import unittest

import check_holds

DOCUMENT = """
## What must always hold

| | holds | tests |
|---|---|---|
| 1 | A launch gets its arguments | `tests/unit/a_test.cpp`; `tests/unit/more_test.cpp` |
{}
## Left for later
| 7 | another table | `tests/unit/none.cpp` |
"""


class CheckHolds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("tests/unit/a_test.cpp", 'TEST_CASE("holds 1: arguments", "[unit]") {}')
        self.write("tests/unit/more_test.cpp", 'TEST_CASE("an argument", "[unit]") {}')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems_with(self, row=""):
        self.write("docs/architecture.md", DOCUMENT.format(row))
        return check_holds.check(self.root)

    def test_rows_with_tests_are_accepted(self):
        self.assertEqual(self.problems_with(), [])

    def test_a_row_whose_file_has_no_such_test_is_named(self):
        problems = self.problems_with("| 2 | No lock | `tests/unit/more_test.cpp` |")
        self.assertEqual(len(problems), 1)
        self.assertIn("row 2 names tests/unit/more_test.cpp", problems[0])

    def test_a_row_without_a_file_is_named(self):
        self.assertEqual(self.problems_with("| 2 | No lock | none yet |"), ["row 2 names no file"])

    def test_a_test_without_a_row_is_named(self):
        self.write("tests/unit/b_test.cpp", 'TEST_CASE(\n    "holds 2: no lock", "[unit]") {}')
        problems = self.problems_with()
        self.assertEqual(len(problems), 1)
        self.assertIn("tests/unit/b_test.cpp", problems[0])

    def test_a_number_may_be_left_out(self):
        self.write("tests/unit/b_test.cpp", 'TEST_CASE("holds 3: no lock", "[unit]") {}')
        self.assertEqual(self.problems_with("| 3 | No lock | `tests/unit/b_test.cpp` |"), [])

    def test_a_table_without_rows_is_named(self):
        self.write("tests/unit/a_test.cpp", "")
        self.write("docs/architecture.md", "## What must always hold\n")
        self.assertIn("no rows", check_holds.check(self.root)[0])


if __name__ == "__main__":
    unittest.main()
