#!/usr/bin/env python3
"""The check of the layout finds what is wrong, and nothing else."""

import pathlib
import tempfile
import unittest
from unittest import mock

import check_layout


@mock.patch.object(check_layout, "INCLUDES_TO_REMOVE", set())
@mock.patch.object(check_layout, "OTHER_HEADERS", {})
class CheckLayout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("src/contextual/CMakeLists.txt",
                   "add_subdirectory(low)\nadd_subdirectory(high)\nadd_subdirectory(testing)\nif(X)\n"
                   "  add_subdirectory(cuda)\nendif()\n")
        self.write("include/contextual/contextual.hpp", "#include <contextual/key.hpp>")
        self.write("include/contextual/key.hpp", "")
        self.write("include/contextual/mpi.hpp", "")
        self.write("include/contextual/detail/low/words.hpp", "#include <contextual/key.hpp>")
        self.write("include/contextual/testing/world.hpp", "")
        self.write("src/contextual/low/key.cpp", "#include <contextual/key.hpp>")
        self.write("src/contextual/low/words.cpp", "#include <contextual/detail/low/words.hpp>")
        self.write("src/contextual/high/loop.hpp", '#include <contextual/detail/low/words.hpp>')
        self.write("src/contextual/high/loop.cpp", '#include "contextual/high/loop.hpp"')
        self.write("src/contextual/testing/world.cpp",
                   "#include <contextual/testing/world.hpp>\n#include <contextual/detail/low/words.hpp>")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems(self):
        return check_layout.check(self.root)

    def assert_one(self, *words):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_what_follows_the_rules_is_accepted(self):
        self.assertEqual(self.problems(), [])

    def test_an_include_that_points_up_is_named(self):
        self.write("src/contextual/low/words.cpp",
                   '#include <contextual/detail/low/words.hpp>\n#include "contextual/high/loop.hpp"')
        self.assert_one("low/words.cpp", "contextual/high/loop.hpp")

    def test_a_component_includes_what_the_component_that_it_stands_on_exports(self):
        self.write("include/contextual/detail/cuda/buffer.hpp", "")
        self.write("src/contextual/sync/nccl/ranks.hpp", "#include <contextual/detail/cuda/buffer.hpp>")
        self.assertEqual(self.problems(), [])
        self.write("src/contextual/testing/ranks.hpp", "#include <contextual/detail/cuda/buffer.hpp>")
        self.assert_one("testing/ranks.hpp", "contextual/detail/cuda/buffer.hpp")

    def test_a_detail_header_that_points_up_is_named(self):
        self.write("include/contextual/detail/high/slot.hpp", "")
        self.write("include/contextual/detail/low/words.hpp", "#include <contextual/detail/high/slot.hpp>")
        self.assert_one("detail/low/words.hpp", "contextual/detail/high/slot.hpp")

    def test_a_component_that_includes_a_private_header_of_a_room_is_named(self):
        self.write("src/contextual/testing/world.cpp",
                   '#include <contextual/testing/world.hpp>\n#include "contextual/high/loop.hpp"')
        self.assert_one("testing/world.cpp", "contextual/high/loop.hpp")

    def test_a_room_that_includes_a_component_is_named(self):
        self.write("src/contextual/cuda/timer.hpp", "")
        self.write("src/contextual/high/loop.hpp", '#include "contextual/cuda/timer.hpp"')
        self.assert_one("high/loop.hpp", "contextual/cuda/timer.hpp")

    def test_an_exception_is_accepted_while_it_is_needed_and_named_afterwards(self):
        exceptions = {("low/words.cpp", "high/loop.hpp")}
        with mock.patch.object(check_layout, "INCLUDES_TO_REMOVE", exceptions):
            self.assert_one("low/words.cpp", "remove it from the list")
            self.write("src/contextual/low/words.cpp",
                       '#include <contextual/detail/low/words.hpp>\n#include "contextual/high/loop.hpp"')
            self.assertEqual(self.problems(), [])

    def test_a_source_without_a_header_of_its_name_is_named(self):
        self.write("src/contextual/high/agreeing.cpp", '#include "contextual/high/loop.hpp"')
        self.assert_one("high/agreeing.cpp", "no header")
        with mock.patch.object(check_layout, "OTHER_HEADERS", {"high/agreeing.cpp": "contextual/high/loop.hpp"}):
            self.assertEqual(self.problems(), [])
            self.write("src/contextual/high/agreeing.hpp", "")
            self.write("src/contextual/high/agreeing.cpp", '#include "contextual/high/agreeing.hpp"')
            self.assert_one("high/agreeing.cpp", "remove it from the list")

    def test_a_source_that_does_not_include_its_header_is_named(self):
        self.write("src/contextual/high/loop.cpp", "")
        self.assert_one("high/loop.cpp", "contextual/high/loop.hpp")

    def test_a_detail_header_of_another_room_than_its_source_is_named(self):
        self.write("include/contextual/detail/high/words.hpp", "")
        self.assert_one("detail/high/words.hpp", "low/words.cpp")

    def test_a_public_header_that_the_umbrella_lacks_is_named(self):
        self.write("include/contextual/value.hpp", "")
        self.assert_one("contextual/value.hpp")

    def test_a_component_header_in_the_umbrella_is_named(self):
        self.write("include/contextual/contextual.hpp", "#include <contextual/key.hpp>\n#include <contextual/mpi.hpp>")
        self.assert_one("contextual/mpi.hpp")


if __name__ == "__main__":
    unittest.main()
