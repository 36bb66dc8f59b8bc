#!/usr/bin/env python3
"""Checks a page of contextual-report: check_html.py PAGE, or check_html.py --run PROGRAM that prints one.

Checked: tags are balanced, ids are unique and links inside the page lead somewhere, nothing is fetched from
outside, there is no script, plots have as many marks as they say, what they draw has a style and no number in them
is odd.
"""

import html.parser
import re
import subprocess
import sys

VOID = {"meta", "link", "br", "hr", "img", "input"}
REFERENCES = {"src", "href", "srcset", "data", "action", "poster", "xlink:href"}
DRAWN = {"circle", "line", "rect", "i"}  # shapes of plots, and of their legends
NUMBERS = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"}


class Page(html.parser.HTMLParser):
    """Collects what is wrong with a page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.problems = []
        self.open_tags = []
        self.ids = set()
        self.targets = []
        self.plots = []
        self.drawn = set()

    def problem(self, text):
        self.problems.append(f"line {self.getpos()[0]}: {text}")

    def handle_starttag(self, tag, attrs):
        self.check_attributes(tag, dict(attrs))
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.check_attributes(tag, dict(attrs))

    def handle_endtag(self, tag):
        if not self.open_tags or self.open_tags[-1] != tag:
            self.problem(f"</{tag}> closes nothing, open are {self.open_tags[-3:]}")
        else:
            self.open_tags.pop()

    def check_attributes(self, tag, attributes):
        if tag in {"script", "iframe", "object", "embed", "base", "form"}:
            self.problem(f"<{tag}> has no place on this page")
        for name, value in attributes.items():
            value = value or ""
            if name.startswith("on"):
                self.problem(f"<{tag}> has a script in {name}")
            if name in REFERENCES and not (value.startswith("#") or value.startswith("data:,")):
                self.problem(f"<{tag} {name}> refers to {value}")
            if name in NUMBERS and "svg" in self.open_tags and not re.fullmatch(r"-?\d+(\.\d+)?", value):
                self.problem(f"<{tag} {name}> is {value!r}, no number")
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.problem(f"id {attributes['id']} is there twice")
            self.ids.add(attributes["id"])
        if attributes.get("href", "").startswith("#"):
            self.targets.append(attributes["href"][1:])
        if tag in DRAWN:
            self.drawn.update(attributes.get("class", "").split())
        if "data-plot" in attributes:
            self.plots.append([attributes["data-plot"], int(attributes["data-marks"]), 0])
        if attributes.get("class") == "mark":
            self.plots[-1][2] += 1

    def finish(self, style):
        self.close()
        if self.open_tags:
            self.problem(f"never closed: {self.open_tags}")
        for target in self.targets:
            if target not in self.ids:
                self.problem(f"nothing has the id {target}")
        for name in sorted(self.drawn):
            if not re.search(rf"\.{name}\b", style):
                self.problem(f"a plot has marks of class {name}, which has no style")
        for kind, expected, found in self.plots:
            if expected != found:
                self.problem(f"plot of {kind}: {found} marks, should be {expected}")


def check(text, kinds):
    """Returns the problems of a page that must have a plot of each of `kinds`."""
    page = Page()
    page.feed(text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    page.finish(style[1] if style else "")
    if not text.startswith("<!DOCTYPE html>"):
        page.problems.append("no <!DOCTYPE html> in front")
    for pattern in (r"https?://", r"@import", r"url\(", r"\bNaN\b", r"\binf\b", r"[\x00-\x08\x0b-\x1f]"):
        for match in re.finditer(pattern, text):
            page.problems.append(f"at {match.start()}: {match.group()!r}")
    for kind in kinds:
        if kind not in {plot[0] for plot in page.plots}:
            page.problems.append(f"no plot of {kind}")
    return page.problems


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--run":
        text = subprocess.run([sys.argv[2]], check=True, stdout=subprocess.PIPE).stdout.decode()
        kinds = {"configs", "region", "search"}
    else:
        with open(sys.argv[1], encoding="utf-8") as file:
            text = file.read()
        kinds = set()
    problems = check(text, kinds)
    print("\n".join(problems) if problems else f"the page is well formed, {len(text)} characters")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
