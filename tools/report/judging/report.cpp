#include "report/judging/report.hpp"

#include "report/format/printable.hpp"
#include "report/judging/run_joining.hpp"

#include <algorithm>
#include <map>

namespace contextual::log_report {
namespace {

struct IterationCounts {
  std::int64_t walk = 0;
  std::int64_t search = 0;
};

IterationCounts iterations_of(const RunAnalysis& analysis) {
  for (const RankRun* rank : analysis.run->ranks) {
    if (rank->end) {
      return {rank->end->walk_iterations, rank->end->search_iterations};
    }
  }
  IterationCounts counts;
  for (const Iteration& iteration : analysis.view.iterations) {
    counts.walk += iteration.phase == Phase::walk ? 1 : 0;
    counts.search += iteration.phase == Phase::search ? 1 : 0;
  }
  return counts;
}

std::string choices_text(const RunAnalysis& analysis) {
  std::string text;
  std::size_t count = 0;
  for (const ProblemResult& problem : analysis.problems) {
    if (!problem.choices.empty() && ++count <= 16) {
      text += (text.empty() ? "" : ", ") + std::string(problem.name->kernel) + ": " +
              std::to_string(problem.choices.back()->config.id);
    }
  }
  return count > 16 ? text + ", ..." : text;
}

double elapsed_ns(const RunOfAllRanks& run) {
  double elapsed = -1;
  for (const RankRun* rank : run.ranks) {
    if (rank->end) {
      elapsed = std::max(elapsed, static_cast<double>(rank->end->elapsed_ns));
    } else if (rank->progress) {
      elapsed = std::max(elapsed, static_cast<double>(rank->progress->elapsed_ns));
    }
  }
  return elapsed;
}

bool matches(const RunSummary& summary, const ReportOptions& options) {
  if (!options.region.empty() && summary.run->region != options.region) {
    return false;
  }
  return options.tuning.empty() || options.tuning == std::to_string(summary.number) ||
         (options.tuning.size() > 3 && summary.run->id.find(options.tuning) != std::string::npos);
}

/// The newest run of each region. One that went well with what was kept tells nothing: then the newest of
/// those that have measured something. All that match where more is asked for.
void select(std::vector<RunSummary>& summaries, const ReportOptions& options) {
  std::map<std::string_view, RunSummary*> newest;
  std::map<std::string_view, RunSummary*> newest_measured;
  for (RunSummary& summary : summaries) {
    if (matches(summary, options)) {
      summary.selected = options.all || !options.tuning.empty();
      newest[summary.run->region] = &summary;
      if (summary.measured) {
        newest_measured[summary.run->region] = &summary;
      }
    }
  }
  for (const auto& [region, summary] : newest) {
    const auto measured = newest_measured.find(region);
    const bool tells = summary->bad() || measured == newest_measured.end();
    (tells ? summary : measured->second)->selected = true;
  }
}

}  // namespace

Report make_report(const std::filesystem::path& directory, Logs logs, const ReportOptions& options) {
  Report report;
  report.directory = printable(directory.string());
  report.logs = std::move(logs);
  report.runs = join_runs(report.logs);
  for (const RunOfAllRanks& run : report.runs) {
    const RunAnalysis analysis = analyse(run, report.logs);
    RunSummary summary;
    summary.number = report.summaries.size() + 1;
    summary.run = &run;
    summary.status = analysis.ending.status;
    summary.culprit = analysis.ending.culprit_line();
    summary.disagreements = analysis.comparison.disagreements.size();
    const IterationCounts counts = iterations_of(analysis);
    summary.iterations = std::to_string(counts.walk) + " + " + std::to_string(counts.search);
    summary.measured = counts.walk + counts.search > 0;
    summary.elapsed_ns = elapsed_ns(run);
    if (analysis.gain && !analysis.gain->defaults_came_back) {
      summary.change = analysis.gain->change.centre;
    }
    summary.choices = choices_text(analysis);
    report.summaries.push_back(std::move(summary));
  }
  select(report.summaries, options);
  return report;
}

bool Report::any_bad() const {
  return std::any_of(summaries.begin(), summaries.end(),
                     [](const RunSummary& summary) { return summary.bad(); });
}

bool Report::any_selected() const {
  return std::any_of(summaries.begin(), summaries.end(),
                     [](const RunSummary& summary) { return summary.selected; });
}

}  // namespace contextual::log_report
