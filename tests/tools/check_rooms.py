#!/usr/bin/env python3
"""Checks that the rooms of tools/report include only rooms below them: check_rooms.py DIRECTORY."""

import pathlib
import re
import sys

# What each room may include, besides itself.
BELOW = {
    "format": set(),
    "reading": {"format"},
    "judging": {"format", "reading"},
    "wording": {"format", "reading", "judging"},
    "text": {"format", "reading", "judging", "wording"},
    "html": {"format", "reading", "judging", "wording"},
    "trace": {"format", "reading", "judging", "wording"},
}
# All that the report knows of the library: what a log has, for the only room that reads it, how text is laid out, and
# how a time is written.
SCHEMA = "contextual/record/schema/"
TEXTS = {"contextual/record/text_table.hpp", "contextual/record/utc_time.hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def problems_of_line(path, number, line):
    """Returns what is wrong with one line of a file whose path is relative to the report's folder."""
    found = INCLUDE.match(line)
    if not found:
        return []
    place = f"{path}:{number}: \"{found[1]}\""
    parts = found[1].split("/")
    room = path.parts[0] if len(path.parts) > 1 else None
    if found[1] in TEXTS or (room == "reading" and found[1].startswith(SCHEMA)):
        return []
    if parts[0] != "report":
        return [f"{place} is not named from the tools folder on"]
    if room is None:  # what stands above the rooms may use them all
        return []
    if len(parts) < 3:
        return [f"{place} is above all rooms"]
    if parts[1] != room and parts[1] not in BELOW.get(room, set()):
        return [f"{place} is not below {room}"]
    return []


def problems_of(directory):
    """Returns what is wrong with the includes of all files below `directory`."""
    problems = []
    for file in sorted(directory.rglob("*.?pp")):
        path = file.relative_to(directory)
        if len(path.parts) > 1 and path.parts[0] not in BELOW:
            problems.append(f"{path}: {path.parts[0]} is a room that this check does not know")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            problems += problems_of_line(path, number, line)
    return problems


def main():
    problems = problems_of(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) if problems else "all includes point down")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
