#!/usr/bin/env python3
"""Tests check_rooms.py on small folders that are made for it."""

import pathlib
import tempfile
import unittest

import check_rooms


class CheckRooms(unittest.TestCase):
    """Each test writes files and looks at what the check says of them."""

    def problems(self, files):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            for path, text in files.items():
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (directory / path).write_text(text, encoding="utf-8")
            return check_rooms.problems_of(directory)

    def test_includes_that_point_down_are_fine(self):
        files = {"text/a.cpp": '#include "report/judging/b.hpp"\n#include <map>\n#include "report/text/c.hpp"\n',
                 "command.cpp": '#include "report/html/page.hpp"\n'}
        self.assertEqual(self.problems(files), [])

    def test_an_include_that_points_up_is_named_with_its_line(self):
        files = {"judging/a.hpp": '#pragma once\n#include "report/text/b.hpp"\n'}
        self.assertEqual(self.problems(files), ['judging/a.hpp:2: "report/text/b.hpp" is not below judging'])

    def test_text_and_html_do_not_know_each_other(self):
        self.assertEqual(len(self.problems({"html/a.cpp": '#include "report/text/b.hpp"\n'})), 1)
        self.assertEqual(len(self.problems({"text/a.cpp": '#include "report/html/b.hpp"\n'})), 1)

    def test_of_the_library_only_reading_knows_the_schema(self):
        schema = '#include "contextual/record/schema/event.hpp"\n'
        self.assertEqual(self.problems({"reading/a.hpp": schema}), [])
        self.assertEqual(len(self.problems({"judging/a.hpp": schema})), 1)
        self.assertEqual(len(self.problems({"reading/a.hpp": '#include "contextual/record/recorder.hpp"\n'})), 1)

    def test_the_command_an_unnamed_room_and_an_unknown_room_are_found(self):
        self.assertEqual(len(self.problems({"text/a.cpp": '#include "report/command.hpp"\n'})), 1)
        self.assertEqual(len(self.problems({"text/a.cpp": '#include "b.hpp"\n'})), 1)
        self.assertEqual(len(self.problems({"attic/a.cpp": ""})), 1)


if __name__ == "__main__":
    unittest.main()
