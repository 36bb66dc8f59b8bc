#!/usr/bin/env python3
"""Checks the table "What must always hold" of docs/architecture.md against the tests.

Every row N has a test case named "holds N: ..." in a file that the row names before its semicolon, every file that the
row names there has one, and every test case named so has a row. Numbers may be left out: they do not change.
"""

import pathlib
import re
import sys

HEADING = "## What must always hold"
ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r'TEST_CASE\(\s*"holds (\d+):')


def rows_of(document):
    """Number to the paths of the files that hold its tests."""
    section = document.split(HEADING, 1)[1].split("\n## ", 1)[0]
    return {int(number): re.findall(r"`([^`]+)`", tests.split(";")[0]) for number, _, tests in ROW.findall(section)}


def tests_of(root):
    """Number to the paths of the files with a test of it."""
    found = {}
    for path in sorted((root / "tests").rglob("*.cpp")):
        for number in TEST.findall(path.read_text()):
            found.setdefault(int(number), set()).add(path.relative_to(root).as_posix())
    return found


def check(root):
    """Returns one text a problem."""
    root = pathlib.Path(root)
    rows = rows_of((root / "docs" / "architecture.md").read_text())
    tests = tests_of(root)
    problems = []
    if not rows:
        problems.append(f'docs/architecture.md has no rows under "{HEADING}"')
    for number, files in sorted(rows.items()):
        if not files:
            problems.append(f"row {number} names no file")
        for file in files:
            if file not in tests.get(number, set()):
                problems.append(f'row {number} names {file}, which has no test case named "holds {number}: ..."')
    for number, files in sorted(tests.items()):
        for file in sorted(files - set(rows.get(number, []))):
            problems.append(f'{file} has a test case named "holds {number}: ...", which row {number} does not name')
    return problems


def main():
    problems = check(sys.argv[1])
    print("\n".join(problems) if problems else "every row of what must always hold has its tests")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
