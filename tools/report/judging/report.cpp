#include "report/judging/report.hpp"

#include "report/format/printable.hpp"
#include "report/format/quantities.hpp"
#include "report/judging/runs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace contextual::log_report {
namespace {

std::vector<std::string> warnings_of(const RunOfAllRanks& run) {
  std::map<std::string_view, std::vector<std::int64_t>> ranks;
  std::vector<std::string_view> order;
  for (const RankRun* rank : run.ranks) {
    for (const std::string_view text : rank->warnings) {
      std::vector<std::int64_t>& said = ranks[text];
      if (said.empty()) {
        order.push_back(text);
      }
      if (said.empty() || said.back() != rank->rank) {
        said.push_back(rank->rank);
      }
    }
  }
  std::vector<std::string> warnings;
  warnings.reserve(order.size());
  for (const std::string_view text : order) {
    warnings.push_back(ranks_text(ranks[text]) + ": " + std::string(text));
  }
  return warnings;
}

/// Those of the lowest rank that has some: they are alike on all.
std::vector<SearchView> searches_of(const RunOfAllRanks& run) {
  std::vector<SearchView> searches;
  for (const RankRun* rank : run.ranks) {
    for (const SearchResult& search : rank->searches) {
      searches.push_back(view_of(search));
    }
    if (!searches.empty()) {
      break;
    }
  }
  return searches;
}

const Limit* limit_of(const RunOfAllRanks& run) {
  for (const RankRun* rank : run.ranks) {
    if (rank->limit) {
      return &*rank->limit;
    }
  }
  return nullptr;
}

void count_iterations(RunAnalysis& analysis) {
  const auto& ranks = analysis.run->ranks;
  const auto ended =
      std::find_if(ranks.begin(), ranks.end(), [](const RankRun* rank) { return bool{rank->end}; });
  if (ended != ranks.end()) {
    analysis.walk_iterations = (*ended)->end->walk_iterations;
    analysis.search_iterations = (*ended)->end->search_iterations;
    return;
  }
  for (const Iteration& iteration : analysis.view.iterations) {
    analysis.walk_iterations += iteration.phase == Phase::walk ? 1 : 0;
    analysis.search_iterations += iteration.phase == Phase::search ? 1 : 0;
  }
}

std::optional<std::int64_t> elapsed_ns(const RunOfAllRanks& run) {
  std::optional<std::int64_t> elapsed;
  for (const RankRun* rank : run.ranks) {
    if (rank->end) {
      elapsed = std::max(elapsed, std::optional(rank->end->elapsed_ns));
    } else if (rank->progress) {
      elapsed = std::max(elapsed, std::optional(rank->progress->elapsed_ns));
    }
  }
  return elapsed;
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
  analysis.searches = searches_of(run);
  analysis.gain = change_to_defaults(analysis.searches);
  analysis.limit = limit_of(run);
  analysis.slowness = slowness_of(analysis.view);
  analysis.disagreements = disagreements_of(run);
  analysis.warnings = warnings_of(run);
  count_iterations(analysis);
  analysis.elapsed_ns = elapsed_ns(run);
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
