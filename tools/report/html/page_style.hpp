#pragma once

/// \file
/// The page's style sheet: light and dark, wide and narrow.

namespace contextual::log_report {

inline constexpr const char* page_style = R"css(
:root { color-scheme: light dark; --page: #f9f9f7; --card: #fcfcfb; --ink: #0b0b0b; --soft: #52514e;
  --line: #e1e0d9; --walk: #2a78d6; --search: #eb6834; --final: #1baf7a; --bad: #d03b3b; --good: #006300;
  --tint: #dcebfb; --odd: #f6cfcf; --none: #e8e7e1;
  --near0: #174f94; --near1: #2a78d6; --near2: #74aeee; --near3: #b3d3f6; --near4: #dcebfb; --on: #ffffff; --own: #8a3ffc; }
@media (prefers-color-scheme: dark) { :root { --page: #0d0d0d; --card: #1a1a19; --ink: #ffffff; --soft: #c3c2b7;
  --line: #33322f; --walk: #3987e5; --search: #d95926; --final: #199e70; --bad: #e66767; --good: #3ecb3e;
  --tint: #16304f; --odd: #5c1f1f; --none: #2b2a28;
  --near0: #9cc8fb; --near1: #5b9ff0; --near2: #326fb8; --near3: #1f4879; --near4: #16304f; --on: #0b0b0b; --own: #c4a1ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 12px; }
h1 { font-size: 1.4rem; margin: 8px 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 0 0 4px; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 20px 0 6px; overflow-wrap: anywhere; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .9em; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 16px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
.wide { white-space: normal; min-width: 16em; overflow-wrap: anywhere; }
@media (max-width: 600px) { .wide { min-width: 9em; } }
.number { text-align: right; }
tr.chosen td { background: var(--tint); }
.badge { display: inline-block; border-radius: 4px; padding: 0 8px; border: 1px solid currentColor; font-size: .85rem; font-weight: 600; }
.ok { color: var(--good); } .failed, .unfinished { color: var(--bad); }
.alarm { border-left: 4px solid var(--bad); padding: 6px 12px; margin: 8px 0; background: var(--page); }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--soft); }
figure { margin: 8px 0; max-width: 640px; } figcaption { font-size: .87rem; color: var(--soft); margin-bottom: 4px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.legend { white-space: nowrap; margin-left: 8px; } .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; }
.grid { stroke: var(--line); stroke-width: 1; }
.row { fill: transparent; } .row.chosen { fill: var(--tint); }
.sample { fill: var(--walk); fill-opacity: .3; } .spread { stroke: var(--walk); stroke-width: 2; }
.median { fill: var(--walk); stroke: var(--card); stroke-width: 1.5; } .median.chosen { fill: var(--final); }
svg text.note { font-style: italic; }
.point { fill-opacity: .8; stroke: var(--card); stroke-width: .5; }
.walk { fill: var(--walk); } .search { fill: var(--search); } .final { fill: var(--final); }
.key.median, .key.walk { background: var(--walk); } .key.chosen, .key.final { background: var(--final); }
.key.search { background: var(--search); }
.key.sample { background: var(--walk); opacity: .3; } .key.spread { background: var(--walk); height: 3px; vertical-align: middle; }
.unmeasured, .key.unmeasured { fill: var(--none); background: var(--none); }
.cell.near0 { fill: var(--near0); } .cell.near1 { fill: var(--near1); } .cell.near2 { fill: var(--near2); }
.cell.near3 { fill: var(--near3); } .cell.near4 { fill: var(--near4); } .cell.infeasible { fill: var(--odd); }
svg text.on0, svg text.on1 { fill: var(--on); } svg text.on2, svg text.on3, svg text.on4 { fill: var(--ink); }
.cross { stroke: var(--bad); stroke-width: 1; }
.outline { fill: none; stroke: var(--final); } .outline.chosen { stroke-width: 3; }
.outline.tie { stroke-width: 2; stroke-dasharray: 4 2; }
.at-defaults { fill: var(--search); stroke: var(--card); stroke-width: 1; }
.at-own-time { fill: var(--own); stroke: var(--card); stroke-width: 1; }
.key.near0 { background: var(--near0); } .key.near1 { background: var(--near1); } .key.near2 { background: var(--near2); }
.key.near3 { background: var(--near3); } .key.near4 { background: var(--near4); } .key.infeasible { background: var(--odd); }
.key.outline { border: 2px solid var(--final); background: none; } .key.outline.tie { border-style: dashed; }
.key.at-defaults { background: var(--search); } .key.at-own-time { background: var(--own); }
a { color: var(--walk); }
)css";

}  // namespace contextual::log_report
