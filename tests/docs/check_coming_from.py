#!/usr/bin/env python3
"""Checks that what the tables of docs/coming-from.md say of our code is compiled.

A row whose cells after the first name C++ in backticks has a snippet in tests/docs/coming_from/*.cpp, and the snippet
has every name. A file begins with `// section: <heading>`, and a snippet with `// row: <first cell>`, both as they are
in the document; a long cell goes on in the next line's comment. A snippet ends where the next one begins. Variables of the environment, paths and programs are no C++.
"""

import pathlib
import re
import sys

DOCUMENT = "docs/coming-from.md"
SNIPPETS = "tests/docs/coming_from"
NOT_NAMES = {"bool", "const", "double", "false", "int", "nullptr", "return", "struct", "true"}
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*(=.*)?")
PROGRAM_OR_FILE = re.compile(r"\S*/\S*|\.\S+|[\w{}]+-[\w{}.-]+( .*)?|(scripts/\w+|ctest) .*")


def names_of(cells):
    """The C++ names in backticks, in order."""
    names = []
    for span in re.findall(r"`([^`]+)`", cells):
        if not VARIABLE.fullmatch(span) and not PROGRAM_OR_FILE.fullmatch(span):
            names += re.findall(r"(?<!\w)[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", span))
    return [name for name in dict.fromkeys(names) if name not in NOT_NAMES]


def rows_of(document):
    """(section, first cell) to the names in the other cells."""
    rows = {}
    for section in re.split(r"^## ", document, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        for table in re.findall(r"^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n?)*)", text, flags=re.MULTILINE):
            for line in table.splitlines():
                first, *others = [cell.strip() for cell in line.strip("|").split(" | ")]
                rows[heading, first] = names_of(" ".join(others))
    return rows


def snippets_of(root, problems):
    """(section, first cell) to (file, the code below it, without texts and comments)."""
    found = {}
    for path in sorted((root / SNIPPETS).glob("*.cpp")):
        file = path.relative_to(root).as_posix()
        heading, *snippets = re.split(r"^ *// row: ", path.read_text(), flags=re.MULTILINE)
        section = re.match(r"// section: (.+)", heading)
        if not section:
            problems.append(f'{file} does not begin with "// section: <heading>"')
            continue
        for snippet in snippets:
            mark, code = re.match(r"(.*(?:\n *// .*)*)((?:.|\n)*)", snippet).groups()
            first = re.sub(r"\n *// ", " ", mark)
            row = section.group(1), first
            if row in found:
                problems.append(f'{file}: two snippets for the row "{first}"')
            found[row] = file, re.sub(r"//.*", "", re.sub(r'"(?:\\.|[^"\\\n])*"', "", code))
    return found


def check(root):
    """Returns one text a problem."""
    root = pathlib.Path(root)
    rows = rows_of((root / DOCUMENT).read_text())
    problems = [] if rows else [f"{DOCUMENT} has no tables"]
    snippets = snippets_of(root, problems)
    for (section, first), names in rows.items():
        if not names:
            continue
        if (section, first) not in snippets:
            problems.append(f'{SNIPPETS}: section "{section}" has no snippet "// row: {first}" with {", ".join(names)}')
            continue
        file, code = snippets[section, first]
        for name in names:
            if not re.search(rf"\b{name}\b", code):
                problems.append(f'{file}: the snippet of the row "{first}" has no {name}')
    for (section, first), (file, _) in snippets.items():
        if (section, first) not in rows:
            problems.append(f'{file}: {DOCUMENT} has no row "{first}" in its section "{section}"')
    return problems


def main():
    problems = check(sys.argv[1] if len(sys.argv) > 1 else ".")
    print("\n".join(problems) if problems else "every row that names C++ has its snippet")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
