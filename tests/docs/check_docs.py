#!/usr/bin/env python3
"""Checks that README.md, CONTRIBUTING.md, docs/*.md and the list of public headers name only what exists. CHANGELOG.md may
name what is gone.

Checked: relative links, paths of the repository, included headers, presets, CONTEXTUAL_* variables, fields
in designated initialisers, names in namespace contextual, and options given to programs of this repository.
"""

import json
import pathlib
import re
import sys

FOLDERS = r"(?:\.ci|benchmarks|cmake|docs|examples|include|scripts|src|tests|tools)"
LIST_OF_HEADERS = "include/contextual/contextual.hpp"
PROGRAM = re.compile(r"(?:^|[\s`/(])(?:\./)?(?:scripts|examples|benchmarks|tools|\.ci)/[\w-]+")
SOURCE_SUFFIXES = {".hpp", ".cpp", ".txt", ".cmake", ".in", ".json", ".py", ""}


class Tree:
    """What exists in the repository."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.code = self._text("include", "src", "cmake", "scripts", "tests", "examples", "benchmarks", "tools", ".ci")
        self.headers = self._text("include", "src/kernels")
        self.programs = self._text("scripts", "examples", "benchmarks", "tools", ".ci")
        presets = self.root / "CMakePresets.json"
        self.presets = set()
        if presets.exists():
            self.presets = {preset["name"] for preset in json.loads(presets.read_text())["configurePresets"]}

    def _text(self, *folders):
        files = [path for folder in folders for path in sorted((self.root / folder).rglob("*"))]
        files += [self.root / "CMakeLists.txt"]
        own = self.root / "tests" / "docs"
        return "\n".join(
            path.read_text(errors="replace")
            for path in files
            if path.is_file() and path.suffix in SOURCE_SUFFIXES and own not in path.parents
        )

    def has_path(self, name):
        """A path, a pattern with *, a program named without its .cpp, or the program of a folder's unit tests."""
        if "*" in name:
            return any(self.root.glob(name))
        path = self.root / name
        if path.name == "test_" + path.parent.name and path.parent.is_dir():
            return True
        return path.exists() or (self.root / (name + ".cpp")).exists()


def has_word(text, word):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def has_option(text, option):
    return re.search(rf"{re.escape(option)}(?![\w-])", text) is not None


def check_line(line, folder, tree):
    """Yields what the line names that does not exist."""
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        path = target.split("#")[0]
        if path and not re.match(r"[a-z]+:", path) and not (folder / path).exists():
            yield f"link to {path}"
    without_links = re.sub(r"\]\([^)]*\)", "]", line)
    for match in re.finditer(rf"(?<![\w./<-])(?:\./|build/\w+/)?({FOLDERS}/[\w.*/-]*[\w*])", without_links):
        if not tree.has_path(match.group(1)):
            yield f"path {match.group(1)}"
    for header in re.findall(r"<(contextual/[\w./]+)>", line):
        if not (tree.root / "include" / header).exists():
            yield f"header {header}"
    for variable in re.findall(r"\bCONTEXTUAL_[A-Z0-9_]*[A-Z0-9]\b(?![_*{])", line):
        if not has_word(tree.code, variable):
            yield f"variable {variable}"
    for preset in re.findall(r"--preset[ =](\w+)", line):
        if preset not in tree.presets:
            yield f"preset {preset}"
    for field in re.findall(r"[{,(\s]\.([a-z]\w*) = ", line):
        if not has_word(tree.headers, field):
            yield f"field .{field}"
    for name in re.findall(r"\bcontextual::((?:\w+::)*\w+)", line):
        for part in name.split("::"):
            if not has_word(tree.headers + tree.code, part):
                yield f"name contextual::{name}"
    program = PROGRAM.search(line)
    if program:
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", line[program.end():]):
            if not has_option(tree.programs, option):
                yield f"option {option}"


def check(root):
    """Returns one text a problem: file, line, and what does not exist."""
    tree = Tree(root)
    readme = tree.root / "README.md"
    problems = [] if readme.exists() else ["README.md: missing"]
    pages = sorted((tree.root / "docs").glob("**/*.md"))
    for document in [readme, tree.root / "CONTRIBUTING.md", *pages, tree.root / LIST_OF_HEADERS]:
        if not document.exists():
            continue
        for number, line in enumerate(document.read_text().splitlines(), start=1):
            for problem in check_line(line, document.parent, tree):
                problems.append(f"{document.relative_to(tree.root)}:{number}: {problem} does not exist")
    return problems


def main():
    problems = check(sys.argv[1] if len(sys.argv) > 1 else ".")
    print("\n".join(problems) if problems else "every name in the documentation exists")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
