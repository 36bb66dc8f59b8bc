#!/usr/bin/env python3
"""Checks the figures of tests/docs/budgets.json: how much of the repository there may be.

    check_budgets.py [<repository>] [--write]

Each line of that file has a figure: what is counted, in which files (`without` these), and its budget. A figure above
its budget fails: make it fall again, or raise the budget by hand in a commit whose body says which user needs that and
what went for it. A figure below its budget fails as well, until `--write` has lowered the budget; nothing raises one.
After a merge with conflicts in that file keep the larger number of each figure, then `--write`.

What is counted:
- code lines: of C++ and CUDA, without blank lines and comments; what is longer than a line may be counts as several
- words: as `wc -w` counts them
- headers: files of that suffix
- options: rows of the table of options, which has each member of `Options` and of `SearchSettings` once
- variables: environment variables that the sources name in quotes
- private includes: headers of src that the files include, each once
"""

import doctest
import json
import pathlib
import re
import sys

FILE = "tests/docs/budgets.json"
CODE = {".cpp", ".hpp", ".cu", ".cuh"}
LONGEST_LINE = 110  # ColumnLimit of .clang-format
# Only a comment that does not begin within a text or a number ('1'000') is one.
COMMENT_OR_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*(?:.|\n)*?\*/)
      | (?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\((?:.|\n)*?\)(?P=mark)"
      | "(?:\\.|\\\n|[^"\\\n])*" | \.?\d(?:'?[\w.])* | '(?:\\.|[^'\\\n])+' | [A-Za-z_]\w*""",
    re.VERBOSE)


def code_lines(text):
    r"""The lines of C++ that hold more than comments.

    >>> code_lines('a;  // b\n\n/// c\n/* d\n e; */ f;\n/* g */\n#define H \\\n  1\n')
    4
    >>> code_lines('a = "/*"; b = \'"\'; c = 1\'000; // "\nd = "*/ //";\n// e \\\n f\n')
    2
    >>> code_lines('a = R"x(\n// a line of the text\n\n)" )x"; /*\n*/\n' + "b" * 111)
    5
    """
    def kept(match):
        return re.sub(r"[^\n]", "", match[0]) if match["comment"] else match[0]
    lines = [line.rstrip() for line in COMMENT_OR_TOKEN.sub(kept, text).split("\n")]
    return sum(-(-len(line) // LONGEST_LINE) for line in lines if line)


def private_includes(root, texts):
    included = {name for text in texts for name in re.findall(r'^\s*#include "([\w./]+)"', text, re.MULTILINE)}
    return sum((root / "src" / name).exists() for name in included)


def count(root, what, files):
    """The figure of these files."""
    if what == "headers":
        return sum(path.suffix == ".hpp" for path in files)
    texts = [path.read_text() for path in files if what == "words" or path.suffix in CODE]
    if what == "code lines":
        return sum(code_lines(text) for text in texts)
    if what == "words":
        return sum(len(text.split()) for text in texts)
    if what == "options":
        return sum(len(re.findall(r'\brow\("', text)) for text in texts)
    if what == "variables":
        return len({name for text in texts for name in re.findall(r'"(CONTEXTUAL_[A-Z_]+)"', text)})
    if what == "private includes":
        return private_includes(root, texts)
    raise ValueError(f"{FILE}: nothing is known of how to count {what}")


def files_of(root, patterns):
    """A pattern that is a folder means all that is below it."""
    found = set()
    for pattern in patterns:
        found |= set(root.glob(pattern + "/**/*" if (root / pattern).is_dir() else pattern))
    return {path for path in found if path.is_file()}


def figures_of(root, budgets):
    figures = {}
    for name, entry in budgets.items():
        files = files_of(root, entry["files"]) - files_of(root, entry.get("without", []))
        figures[name] = count(root, entry["count"], sorted(files))
    return figures


def without_figure(root, budgets):
    """Yields the rooms and pages that no figure has by name."""
    rooms = [path for path in sorted((root / "src/contextual").iterdir()) if path.is_dir()]
    for kind, paths in ("code lines", rooms), ("words", [root / "README.md", *sorted((root / "docs").glob("**/*.md"))]):
        for path in paths:
            name = f"{kind}: {path.relative_to(root).as_posix()}"
            if name not in budgets:
                yield name


def text_of(budgets):
    """One figure a line, sorted."""
    lines = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(budgets.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def check(root, budgets, figures):
    """Returns one text a problem."""
    problems = [f'{FILE}: "{name}" is missing' for name in without_figure(root, budgets)]
    for name, figure in figures.items():
        budget = budgets[name]["budget"]
        if not files_of(root, budgets[name]["files"]):
            problems.append(f'{FILE}: "{name}" has no files: remove it')
        elif figure > budget:
            problems.append(f"{name}: {figure}, and the budget is {budget}: let something go")
        elif figure < budget:
            problems.append(f"{name}: {figure}: lower the budget from {budget} to {figure} (python3 tests/docs/check_budgets.py --write)")
    return problems


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    root = pathlib.Path(arguments[0] if arguments else ".").resolve()
    if doctest.testmod().failed:
        return 1
    text = (root / FILE).read_text()
    budgets = json.loads(text)
    figures = figures_of(root, budgets)
    if "--write" in sys.argv:
        for name, figure in figures.items():
            budgets[name]["budget"] = min(budgets[name]["budget"], figure)
        (root / FILE).write_text(text_of(budgets))
    problems = check(root, budgets, figures)
    if "--write" not in sys.argv and text != text_of(budgets):
        problems.append(f"{FILE}: is not sorted, or has not one figure a line (python3 tests/docs/check_budgets.py --write)")
    print("\n".join(problems) if problems else "every figure is what its budget says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
