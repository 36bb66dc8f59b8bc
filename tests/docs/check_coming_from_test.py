#!/usr/bin/env python3
"""The check of docs/coming-from.md finds rows without snippets, snippets without rows, and names that are missing."""

import pathlib
import tempfile
import unittest

import check_coming_from

DOCUMENT = """
Text with `names::outside` of any table.

## `one.tuner`

| there | here |
|---|---|
| `@tune(a, b)` | `contextual::run`, or `Options{{.print = true}}` |
| `A_VARIABLE=1` | `CONTEXTUAL_MODE=off`, `docs/cache.md`, `.logs/rank-{{i}}.log`, `contextual-cache pin` |
| prose | missing |
{}
## Which

| you have | use | what |
|---|---|---|
| much | nothing | `Key`, `"text"` |
"""
ONE = """// section: `one.tuner`
#include <contextual.hpp>

// row: `@tune(a, b)`
TEST_CASE("run") {
  contextual::run(Options{.print = true});
}
"""
WHICH = "// section: Which\n  // row: much\n  Key key;\n"


class CheckComingFrom(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("which.cpp", WHICH)

    def write(self, name, text):
        path = self.root / "tests" / "docs" / "coming_from" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems_with(self, one=ONE, row=""):
        self.write("one.cpp", one)
        document = self.root / "docs" / "coming-from.md"
        document.parent.mkdir(exist_ok=True)
        document.write_text(DOCUMENT.format(row))
        return check_coming_from.check(self.root)

    def assert_one(self, problems, words):
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_rows_with_their_snippets_are_accepted(self):
        self.assertEqual(self.problems_with(), [])

    def test_a_row_without_a_snippet_is_named_with_what_to_write(self):
        problems = self.problems_with(row="| `key=` | `make_key` |\n")
        self.assert_one(problems, 'section "`one.tuner`" has no snippet "// row: `key=`" with make_key')

    def test_a_name_that_its_snippet_lacks_is_named(self):
        self.assert_one(self.problems_with(ONE.replace("contextual::run", "contextual::runs")), "has no run")

    def test_a_name_in_a_comment_does_not_count(self):
        self.assert_one(self.problems_with(ONE.replace(".print", ".mode")), "has no print")
        self.assert_one(self.problems_with(ONE.replace(".print", ".mode").replace("}\n", "} // print\n")), "no print")

    def test_a_name_in_the_next_snippet_does_not_count(self):
        one = ONE.replace("Options", "Option") + "// row: prose\nOptions options;\n"
        self.assert_one(self.problems_with(one), "has no Options")

    def test_a_snippet_without_a_row_is_named(self):
        self.assert_one(self.problems_with(ONE + "// row: gone\n"), 'has no row "gone" in its section "`one.tuner`"')

    def test_two_snippets_for_a_row_are_named(self):
        self.assert_one(self.problems_with(ONE + ONE.split("hpp>\n")[1]), "two snippets")

    def test_a_file_without_a_section_is_named(self):
        self.assertIn("does not begin with", " ".join(self.problems_with("int i;\n" + ONE)))

    def test_a_long_mark_goes_on_in_the_next_comment(self):
        one = ONE + "// row: a very\n// long cell\nmake_key();\n"
        self.assertEqual(self.problems_with(one, row="| a very long cell | `make_key` |\n"), [])

    def test_a_document_without_tables_is_a_problem(self):
        self.problems_with()
        (self.root / "docs" / "coming-from.md").write_text("nothing")
        self.assertIn("docs/coming-from.md has no tables", check_coming_from.check(self.root))


if __name__ == "__main__":
    unittest.main()
