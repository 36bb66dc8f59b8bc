"""Finds the one-token mutants of a C++ source. Reads no file; source_mutants is the whole interface.

It knows tokens, not the language: what it changes wrongly does not compile, and such mutants do not count. It relies on
clang-format, which leaves spaces around binary operators and none around template brackets, pointers and references.
Comments, texts, preprocessor lines and attributes stay as they are.
"""

import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<delimiter>[^()\s\\"]*)\(.*?\)(?P=delimiter)")
      | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<operator><<=|>>=|<=>|->\*?|::|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|\[\[|\]\]|[^\w\s])""",
    re.VERBOSE | re.DOTALL)
PREPROCESSOR = re.compile(r"[ \t]*#(?:[^\n]*\\\n)*[^\n]*")

BINARY_OPERATORS = {
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "&&": ["||"], "||": ["&&"], "&": ["|"], "|": ["&"], "^": ["&"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
}
WORDS = {
    "true": "false", "false": "true", "continue": "break", "break": "continue", "min": "max", "max": "min",
    "min_element": "max_element", "max_element": "min_element", "front": "back", "back": "front",
    "all_of": "any_of", "any_of": "all_of",
}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlLzZ]*)")
OPENING = {"(": ")", "[": "]", "{": "}"}
# What a statement that is left out may begin with is any other name.
STATEMENT_KEYWORDS = {
    "alignas", "auto", "break", "case", "class", "const", "constexpr", "continue", "default", "delete", "do", "else",
    "enum", "explicit", "for", "friend", "if", "inline", "namespace", "new", "operator", "private", "protected", "public",
    "return", "static", "static_assert", "struct", "switch", "template", "throw", "try", "typedef", "typename", "using",
    "virtual", "while", "static_cast",
}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int

    @property
    def end(self):
        return self.begin + len(self.text)


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A replacement of `length` characters from `offset` on. `before` and `after` are its first line, without margins."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    offset: int
    length: int
    replacement: str

    def apply(self, source):
        return source[:self.offset] + self.replacement + source[self.offset + self.length:]


def tokens_of(source):
    """Returns what may be mutated: all tokens but comments, texts, preprocessor lines and attributes."""
    tokens = []
    position = 0
    attribute = False
    while position < len(source):
        line_begins = source.rfind("\n", 0, position) + 1
        directive = PREPROCESSOR.match(source, position)
        if directive and not source[line_begins:position].strip():
            position = directive.end()
            continue
        found = TOKEN.match(source, position)
        position = found.end()
        kind = found.lastgroup if found.lastgroup != "delimiter" else "raw"
        if found[0] == "[[":
            attribute = True
        elif attribute:
            attribute = found[0] != "]]"
        elif kind not in {"space", "raw"}:
            tokens.append(Token(kind, found[0], found.start()))
    return tokens


def changed_integers(text):
    """Returns an integer literal plus and minus one; nothing for a literal that is none."""
    found = INTEGER.fullmatch(text)
    if not found:
        return []
    value = int(found[1], 0) if found[1].lower().startswith("0x") else int(found[1])
    return [f"{changed}{found[2]}" for changed in (value + 1, value - 1) if changed >= 0]


def counts_a_loop(source, token):
    """Whether it is the ++ of `for (...; ...; ++i)`: every test would find a change of it, most by the time limit."""
    return source[:token.begin].rstrip().endswith(";") and re.match(r"[\w\[\].]+\) [{]", source[token.end:]) is not None


def changed_token(source, token):
    """Yields (kind, replacement) for one token."""
    spaced = source[token.begin - 1:token.begin].isspace() and source[token.end:token.end + 1].isspace()
    if token.kind == "number":
        yield from (("integer", text) for text in changed_integers(token.text))
    elif token.kind == "word" and token.text in WORDS:
        yield "word", WORDS[token.text]
    elif token.kind == "operator" and spaced:
        yield from (("operator", text) for text in BINARY_OPERATORS.get(token.text, []))
    elif token.text in {"++", "--"} and not counts_a_loop(source, token):
        yield "operator", "--" if token.text == "++" else "++"


def partners(tokens):
    """Returns the index of each opening bracket's closing one."""
    found = {}
    opened = []
    for i, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(i)
        elif opened and token.text == OPENING[tokens[opened[-1]].text]:
            found[opened.pop()] = i
    return found


def is_droppable(tokens):
    """Whether a statement only calls, assigns or counts: leaving it out may still compile. `tokens` end before its ;."""
    if not tokens or tokens[-1].text in {"default", "delete"}:
        return False
    if tokens[0].text in {"++", "--"}:
        return True
    if tokens[0].kind != "word" or tokens[0].text in STATEMENT_KEYWORDS:
        return False
    depth = 0
    previous = None
    for token in tokens:
        if depth == 0 and previous is not None and previous.kind == token.kind == "word":
            return False  # two names in a row declare something
        if depth == 0 and token.text in ASSIGNMENTS | {"(", "++", "--"}:
            return True
        if depth == 0 and token.text in {"<", "*", "&"}:
            return False  # a declaration, too
        depth += 1 if token.text == "[" else -1 if token.text == "]" else 0
        previous = token
    return False


def dropped_statements(tokens, closing):
    """Yields (first token, last token) of each statement that can be left out; the last one is its semicolon."""
    begin = None
    i = 0
    while i < len(tokens):
        text = tokens[i].text
        if text in {"{", "}", ";"}:
            if text == ";" and begin is not None and is_droppable(tokens[begin:i]):
                yield tokens[begin], tokens[i]
            begin = i + 1
        elif text == ":" and i and (tokens[i - 1].text == "default" or (begin is not None and tokens[begin].text == "case")):
            begin = i + 1
        elif text in {"(", "["}:
            inside = tokens[i + 1:closing.get(i, i)]
            if any(token.text == "{" for token in inside):
                yield from dropped_statements(inside, partners(inside))  # of a lambda
            i = closing.get(i, i)
        i += 1


def negated_conditions(tokens, closing):
    """Yields (first token, last token) of what stands in the brackets of an if or a while."""
    for i, token in enumerate(tokens):
        if token.text not in {"if", "while"} or i + 1 not in closing:
            continue
        inside = tokens[i + 2:closing[i + 1]]
        if inside and not any(part.text in {";", "="} for part in inside):  # no initialiser, no declaration
            yield inside[0], inside[-1]


def without_reserve(tokens, closing):
    """Leaves out calls of `reserve` with their arguments, because they only save time."""
    kept = []
    i = 0
    while i < len(tokens):
        if tokens[i].text == "reserve" and i + 1 in closing:
            i = closing[i + 1]
        else:
            kept.append(tokens[i])
        i += 1
    return kept


def source_mutants(file, source):
    """Returns all mutants of a source in the order of their places."""
    tokens = tokens_of(source)
    tokens = without_reserve(tokens, partners(tokens))
    closing = partners(tokens)
    changes = [(token.begin, token.end, kind, text)
               for token in tokens for kind, text in changed_token(source, token)]
    changes += [(first.begin, last.end, "condition", f"!({source[first.begin:last.end]})")
                for first, last in negated_conditions(tokens, closing)]
    changes += [(first.begin, last.end, "statement", ";") for first, last in dropped_statements(tokens, closing)]
    return [mutant_of(file, source, *change) for change in sorted(changes)]


def mutant_of(file, source, begin, end, kind, replacement):
    line = source.count("\n", 0, begin) + 1
    line_begin = source.rfind("\n", 0, begin) + 1
    line_end = source.find("\n", begin) % (len(source) + 1)
    changed = source[:begin] + replacement + source[end:]
    changed_end = changed.find("\n", begin) % (len(changed) + 1)
    return Mutant(file, line, kind, source[line_begin:line_end].strip(), changed[line_begin:changed_end].strip(),
                  begin, end - begin, replacement)
