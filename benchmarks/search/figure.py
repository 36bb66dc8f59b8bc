#!/usr/bin/env python3
"""Draws what `search_replay --curve` prints: regret over runs of the region, one panel a region, as SVG.

    build/dev/benchmarks/search_replay benchmarks/regions/gemm_*.csv --curve > curves.jsonl
    python3 benchmarks/search/figure.py curves.jsonl > curves.svg

Solid: the median over the seeds. Thin and dashed: what 95 % of the seeds do not exceed. Where the regret is infinite,
because the choice is infeasible, there is no line. Regrets below the axis lie on it.
"""

import html
import json
import math
import sys

PANEL_WIDTH, PANEL_HEIGHT, COLUMNS = 420, 260, 2
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 44
LEGEND_HEIGHT = 30
LOWEST_PERCENT, HIGHEST_PERCENT = 0.01, 1000.0
# Okabe and Ito's colours, which people with colour blindness can tell apart.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]


def label_of(row):
    return row["search"] if row["max_runs"] is None else f"{row['search']}, {row['max_runs']} runs"


class Panel:
    """One region's axes."""

    def __init__(self, rows, x, y):
        self.rows, self.x, self.y = rows, x, y
        self.most_runs = max(row["curve"][-1]["runs"] for row in rows)
        regrets = [point[key] for row in rows for point in row["curve"]
                   for key in ("median_regret_percent", "regret_95_percent") if point[key]]
        top = min(max(regrets, default=1.0), HIGHEST_PERCENT)
        self.decades = range(round(math.log10(LOWEST_PERCENT)), max(0, math.ceil(math.log10(top))) + 1)

    def at_runs(self, runs):
        return self.x + LEFT + runs / max(1, self.most_runs) * (PANEL_WIDTH - LEFT - RIGHT)

    def at_percent(self, percent):
        low, high = self.decades[0], self.decades[-1]
        share = (math.log10(max(percent, LOWEST_PERCENT)) - low) / (high - low)
        return self.y + PANEL_HEIGHT - BOTTOM - min(1.0, share) * (PANEL_HEIGHT - TOP - BOTTOM)

    def axes(self):
        left, right = self.at_runs(0), self.at_runs(self.most_runs)
        yield f'<text x="{left:.1f}" y="{self.y + 20:.1f}" font-weight="bold">{html.escape(self.rows[0]["region"])}</text>'
        for decade in self.decades:
            y = self.at_percent(10.0 ** decade)
            yield f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
            yield f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** decade:g} %</text>'
        bottom = self.at_percent(LOWEST_PERCENT)
        for runs in ticks(self.most_runs):
            yield f'<text x="{self.at_runs(runs):.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{runs}</text>'
        yield f'<text x="{(left + right) / 2:.1f}" y="{bottom + 32:.1f}" text-anchor="middle">runs of the region</text>'

    def line(self, row, key, colour, dashed):
        """A step line: a choice stays until the next point."""
        steps = []
        drawing = False
        for point in row["curve"]:
            if point[key] is not None:
                x, y = self.at_runs(point["runs"]), self.at_percent(point[key])
                steps.append(f"H{x:.1f}V{y:.1f}" if drawing else f"M{x:.1f},{y:.1f}")
            drawing = point[key] is not None
        style = 'stroke-width="1" stroke-dasharray="5,3"' if dashed else 'stroke-width="1.8"'
        return f'<path d="{"".join(steps)}" fill="none" stroke="{colour}" {style}/>' if steps else ""


def ticks(most_runs):
    step = next(s * 10 ** e for e in range(9) for s in (1, 2, 5) if s * 10 ** e * 5 >= most_runs)
    return range(0, most_runs + 1, step)


def legend(colours):
    x = LEFT
    for label, colour in colours.items():
        yield f'<line x1="{x}" y1="16" x2="{x + 24}" y2="16" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{x + 30}" y="20">{html.escape(label)}</text>'
        x += 46 + 7 * len(label)


def draw(rows):
    """Returns the SVG of the rows."""
    labels = list(dict.fromkeys(label_of(row) for row in rows))
    colours = {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(labels)}
    regions = list(dict.fromkeys(row["region"] for row in rows))
    columns = min(COLUMNS, len(regions))
    legend_width = LEFT + sum(46 + 7 * len(label) for label in labels)
    width = max(columns * PANEL_WIDTH, legend_width)
    height = LEGEND_HEIGHT + math.ceil(len(regions) / columns) * PANEL_HEIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>',
             '<g font-family="sans-serif" font-size="12" fill="#333">', *legend(colours)]
    for i, region in enumerate(regions):
        of_region = [row for row in rows if row["region"] == region]
        panel = Panel(of_region, i % columns * PANEL_WIDTH, LEGEND_HEIGHT + i // columns * PANEL_HEIGHT)
        parts += panel.axes()
        for row in of_region:
            colour = colours[label_of(row)]
            parts.append(panel.line(row, "median_regret_percent", colour, dashed=False))
            parts.append(panel.line(row, "regret_95_percent", colour, dashed=True))
    return "\n".join([*parts, "</g>", "</svg>"])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: figure.py CURVES.jsonl > FIGURE.svg")
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    if not rows or any("curve" not in row for row in rows):
        sys.exit("figure.py: the file has no curves; run search_replay with --curve")
    print(draw(rows))


if __name__ == "__main__":
    main()
