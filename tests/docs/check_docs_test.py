#!/usr/bin/env python3
"""The documentation check finds what is wrong, and nothing else."""

import pathlib
import tempfile
import unittest

import check_docs


class CheckDocs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("CMakePresets.json", '{"configurePresets": [{"name": "cpu"}]}')
        self.write("include/contextual/options.hpp", "namespace contextual { struct Options { int n_warmup; }; }")
        self.write("src/environment.cpp", 'getenv("CONTEXTUAL_MODE");')
        self.write("examples/table.cpp", 'app.add_option("--warmup", warmup);')
        self.write("docs/concepts.md", "Back to the [README](../README.md#start).")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems_of(self, readme):
        self.write("README.md", readme)
        return check_docs.check(self.root)

    def test_what_exists_is_accepted(self):
        readme = """
[concepts](docs/concepts.md#top), [elsewhere](https://example.org/docs/x.md), `docs/*.md`, include/contextual.
#include <contextual/options.hpp>
cmake --preset cpu && build/cpu/examples/table --warmup 3
contextual::Options options{.n_warmup = 1};  CONTEXTUAL_MODE=off, CONTEXTUAL_*
"""
        self.assertEqual(self.problems_of(readme), [])

    def test_what_does_not_exist_is_named_with_its_line(self):
        cases = {
            "[concepts](docs/concept.md)": "link to docs/concept.md",
            "Run `scripts/tests`.": "path scripts/tests",
            "build/cpu/examples/tables": "path examples/tables",
            "#include <contextual/option.hpp>": "header contextual/option.hpp",
            "CONTEXTUAL_MODUS=off": "variable CONTEXTUAL_MODUS",
            "cmake --preset gpu": "preset gpu",
            "Options{.warmups = 1}": "field .warmups",
            "contextual::Optoins": "name contextual::Optoins",
            "examples/table --warm-up 3": "option --warm-up",
            "examples/table --warm 3": "option --warm",
        }
        for line, wanted in cases.items():
            with self.subTest(line):
                self.assertEqual(self.problems_of("\n" + line), [f"README.md:2: {wanted} does not exist"])

    def test_the_guide_for_contributors_is_read_too(self):
        self.write("CONTRIBUTING.md", "Run `scripts/tests`.")
        self.assertEqual(self.problems_of("fine"), ["CONTRIBUTING.md:1: path scripts/tests does not exist"])

    def test_a_missing_readme_is_a_problem(self):
        self.assertEqual(check_docs.check(self.root)[0], "README.md: missing")


if __name__ == "__main__":
    unittest.main()
