#include "report/judging/report.hpp"

#include "report/format/texts.hpp"
#include "report/judging/runs.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace contextual::log_report {
namespace {

std::vector<std::string> warnings_of(const RunOfAllRanks& run) {
  std::map<std::string_view, std::set<std::int64_t>> ranks;
  std::vector<std::string_view> order;
  for (const RankRun* rank : run.ranks) {
    for (const std::string_view text : rank->warnings) {
      if (ranks[text].empty()) {
        order.push_back(text);
      }
      ranks[text].insert(rank->rank);
    }
  }
  std::vector<std::string> warnings;
  for (const std::string_view text : order) {
    warnings.push_back(ranks_text({ranks[text].begin(), ranks[text].end()}) + ": " + std::string(text));
  }
  return warnings;
}

/// What is alike on all ranks, of the lowest rank that has some.
void add_searches_and_limit(RunAnalysis& analysis) {
  for (const RankRun* rank : analysis.run->ranks) {
    if (analysis.searches.empty()) {
      std::transform(rank->searches.begin(), rank->searches.end(), std::back_inserter(analysis.searches),
                     [](const SearchResult& search) { return view_of(search); });
    }
    if (analysis.limit == nullptr && rank->limit) {
      analysis.limit = &*rank->limit;
    }
  }
  analysis.gain = change_to_defaults(analysis.searches);
}

/// As the ends of ranks have it, or as far as their logs go.
void add_totals(RunAnalysis& analysis) {
  const RunEnd* end = nullptr;
  for (const RankRun* rank : analysis.run->ranks) {
    end = end == nullptr && rank->end ? &*rank->end : end;
    if (rank->end || rank->progress) {
      const std::int64_t rank_ns = rank->end ? rank->end->elapsed_ns : rank->progress->elapsed_ns;
      analysis.elapsed_ns = std::max(analysis.elapsed_ns.value_or(rank_ns), rank_ns);
    }
  }
  const auto count = [&](Phase phase) {
    return std::count_if(analysis.view.iterations.begin(), analysis.view.iterations.end(),
                         [&](const Iteration& iteration) { return iteration.phase == phase; });
  };
  analysis.walk_iterations = end != nullptr ? end->walk_iterations : count(Phase::walk);
  analysis.search_iterations = end != nullptr ? end->search_iterations : count(Phase::search);
}

bool matches(const RunAnalysis& run, const ReportOptions& options) {
  if (!options.region.empty() && run.run->region != options.region) {
    return false;
  }
  return options.tuning.empty() || options.tuning == std::to_string(run.number) ||
         (options.tuning.size() > 3 && run.run->id.find(options.tuning) != std::string::npos);
}

/// The newest run of each region. One that went well with what was kept tells nothing: then the newest of
/// those that have measured something. All that match where more is asked for.
void select(std::vector<RunAnalysis>& runs, const ReportOptions& options) {
  std::map<std::string_view, RunAnalysis*> newest;
  std::map<std::string_view, RunAnalysis*> newest_measured;
  for (RunAnalysis& run : runs) {
    if (matches(run, options)) {
      run.selected = options.all || !options.tuning.empty();
      newest[run.run->region] = &run;
      if (run.measured()) {
        newest_measured[run.run->region] = &run;
      }
    }
  }
  for (const auto& [region, run] : newest) {
    const auto measured = newest_measured.find(region);
    const bool tells = run->bad() || measured == newest_measured.end();
    (tells ? run : measured->second)->selected = true;
  }
}

}  // namespace

RunAnalysis analyse(const RunOfAllRanks& run, const Logs& logs) {
  RunAnalysis analysis;
  analysis.run = &run;
  analysis.ending = ending_of(run, logs);
  analysis.view = view_of(run);
  analysis.problems = problems_of(run, analysis.view);
  add_searches_and_limit(analysis);
  analysis.slowness = slowness_of(analysis.view);
  analysis.warnings = warnings_of(run);
  add_totals(analysis);
  return analysis;
}

Report make_report(const std::filesystem::path& directory, Logs logs, const ReportOptions& options) {
  Report report{printable(directory.string()), std::move(logs), {}, {}};
  report.joined = join_runs(report.logs);
  for (const RunOfAllRanks& run : report.joined) {
    report.runs.push_back(analyse(run, report.logs));
    report.runs.back().number = report.runs.size();
  }
  select(report.runs, options);
  return report;
}

bool Report::any_bad() const {
  return std::any_of(runs.begin(), runs.end(), [](const RunAnalysis& run) { return run.bad(); });
}

std::vector<const RunAnalysis*> Report::selected() const {
  std::vector<const RunAnalysis*> found;
  for (const RunAnalysis& run : runs) {
    if (run.selected) {
      found.push_back(&run);
    }
  }
  return found;
}

}  // namespace contextual::log_report
