#pragma once

/// \file
/// The report of a tuner: the choices of each run, their reasons, the measurements behind them, and the
/// iteration table. These are plain values; copies share nothing.

#include <contextual/config.hpp>
#include <contextual/export.hpp>
#include <contextual/metrics.hpp>
#include <contextual/options.hpp>
#include <contextual/phase.hpp>
#include <contextual/search.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

/// A summary of times. Makespans of the assignments that a search or a comparison has measured have their
/// mean and standard deviation, without stalls of the machine. All others have robust ones.
struct TimeSummary {
  std::size_t count = 0;
  double centre_ns = 0;  ///< the median
  double spread_ns = 0;  ///< 1.4826 x median absolute deviation
};

/// What the walk measured of one config of one tuning problem.
struct ConfigReport {
  std::size_t config_id = 0;
  Config config;
  TimeSummary time;                      ///< the config's own time, maximum over ranks
  TimeSummary makespan;                  ///< the region's makespan in the tuning iterations of its samples
  std::optional<std::string> rejection;  ///< why the config was rejected, if it was
  bool left_out = false;                 ///< true if `keep` left it out on some rank, so it was no candidate
  bool refinement = false;               ///< by ConfigSpace::refine: without times unless the search tried it
  /// Own time and rates, by ProblemReport::work; without a rate if that or the time is not known. Peaks and
  /// what only the driver knows are not filled in.
  KernelMetrics metrics{};
  std::vector<int> rejected_by{};  ///< ranks on which it failed; empty if it was not launched
};

/// How the tuning of one problem ended.
enum class ProblemOutcome {
  locked_in,    ///< its best config is fixed
  provisional,  ///< the best config so far is used for now: the walk was cut short, or nothing was confirmed
  failed,       ///< every config was rejected
  open,         ///< the run ended before the problem was locked in
};

/// How much RegionReport::to_string says.
enum class Detail : std::uint8_t {
  choices,  ///< a line for each choice and one on the region
  why,      ///< also the reasons, what was rejected, the searches, the limit and the warnings
  configs,  ///< also what was measured of each config
};

/// An alternative, or a config of a tuned function, that launches kernels.
struct ReportedAlternative {
  std::size_t problem = 0;  ///< in RegionReport::problems
  std::size_t config_id = 0;
};

/// One tuning problem.
struct ProblemReport {
  std::string kernel;                          ///< the kernel's name, or that of the coupling
  std::string key;                             ///< for people; says `under` as well
  std::optional<ReportedAlternative> under{};  ///< what launches the kernel; empty: the region itself
  ProblemOutcome outcome = ProblemOutcome::open;
  std::size_t choice = 0;  ///< config id
  Config choice_config;
  std::string reason;         ///< why this choice
  bool reused = false;        ///< locked in by an earlier run
  std::size_t first_row = 0;  ///< the row of the iteration table in which the problem was first seen
  std::vector<ConfigReport> configs;
  /// In the runs of the search with everything that was chosen, the choice's own time; in those with all
  /// defaults, the default's. Maximum over ranks; count 0 where the search did not run that assignment.
  TimeSummary time_in_choice{};
  TimeSummary time_in_defaults{};
  std::string pinned_by;  ///< the file that pins the choice; empty if it is not pinned
  /// The host's time, on this rank and in this process, of the tuning iterations in which the walk tried a
  /// config of this problem: a batch's time, with compiling and loading, the wait for the device and the
  /// exchange, in equal parts to its iterations. Problems that are walked at the same time each have all of
  /// it, so the times of several problems may add up to more than the run's. The search belongs to no
  /// problem.
  std::int64_t walk_ns = 0;
  /// Of this rank's launches in one tuning iteration, as KernelOptions::work says; 0: not known.
  KernelWork work{};
};

/// How a search came to the config of a problem.
enum class ChosenBy : std::uint8_t {
  makespan,   ///< by the makespan of the region, together with other problems
  own_time,   ///< by its own time in the walk, because it overlaps nothing or hardly matters
  not_tuned,  ///< it was locked in before, or has failed
};

/// An assignment that a search has measured.
struct AssignmentReport {
  Assignment assignment;
  TimeSummary makespan;  ///< of the region
};

/// What the closing comparison of a search compares the choice with. If it is the choice itself, there is
/// nothing to measure.
enum class SearchReference : std::uint8_t {
  none,      ///< nothing: no comparison was made
  defaults,  ///< all defaults, and the default one of all Alternatives
  /// The defaults of the kernels, with alternatives that are not the default ones: while their kernels are
  /// tuned.
  alternative_defaults,
  default_alternative,  ///< where alternatives are compared, the default one, with what is best for it
  first_feasible,       ///< the first assignment that ran, because the others together are infeasible
};

/// By how much the choice shortens the makespan of the reference, as a fraction of the latter.
struct SearchGain {
  double centre = 0;
  double low = 0;  ///< lower end of an interval; all those of one search hold their gains in 95 % of searches
  double high = 0;  ///< its upper end, at most 1

  bool operator==(const SearchGain&) const = default;
};

/// An assignment that lost the closing comparison: it was not shown to be shorter than the reference.
struct LostAssignment {
  Assignment assignment;
  SearchGain gain;
};

/// What one search did and what came of it. An assignment has one config id for each of the problems, which
/// are the first ones of RegionReport::problems. Where alternatives were compared, the last search only
/// compares the choice with all defaults.
struct SearchReport {
  std::vector<ChosenBy> chosen_by;  ///< by problem
  std::size_t existing = 0;         ///< assignments that the search could have tried, at most 10^9
  std::size_t failed = 0;           ///< assignments known to be infeasible: those of the walk, and those that
                                    ///< `feasible` was asked for and has ruled out, at most 10^5
  std::int64_t runs = 0;            ///< of the region, lead-ins and the closing comparison included
  std::int64_t lead_ins = 0;        ///< of these, the runs that were no samples
  std::vector<AssignmentReport> measured;
  Assignment choice;                     ///< empty if no feasible assignment was found
  std::string reason;                    ///< why this choice
  std::string cut;                       ///< why the search ended before it was complete; empty if complete
  std::vector<Assignment> within_noise;  ///< measured assignments that tie with the choice
  /// Every problem's best by its own time. In a comparison of alternatives, which have none, the choice.
  Assignment by_own_time;
  std::optional<double> cost_of_own_time;  ///< by how much that is slower, as a fraction, if it was measured
  SearchReference reference = SearchReference::none;
  Assignment compared_with;        ///< the assignment of the reference
  TimeSummary reference_makespan;  ///< in the closing comparison
  TimeSummary choice_makespan;     ///< in the same rounds
  /// Over the reference. Empty if that has no valid times, or is the first feasible assignment.
  std::optional<SearchGain> gain;
  /// A candidate may be 5 % shorter than the reference that was kept, or it is open whose the stalls are.
  /// Such a choice is not kept for other processes.
  bool unsure = false;
  bool replaced = false;  ///< the final run has rejected the choice: the makespans are not of what is used
  std::vector<LostAssignment> lost;  ///< in the order of their comparisons, the best of the search first
};

/// A part of the region, which was run alone.
struct PartReport {
  std::string name;
  TimeSummary makespan;  ///< maximum over ranks; count 0: the timer has no time of it
};

/// What the parts of a region say about it, see Options::parts. A region whose parts ran side by side without
/// any cost would take as long as its longest part; one that hides nothing takes their sum.
struct LimitReport {
  TimeSummary result;  ///< makespan of the whole region with what was chosen, in the same rounds
  std::vector<PartReport> parts;
  std::optional<double> limit_ns;  ///< of the longest part; empty unless all parts have a time
  /// (sum - result) / (sum - longest), of the centres: 1 if the region takes as long as its longest part, 0
  /// if it takes the sum of its parts, negative if it takes longer still. Empty if a time is missing, or if
  /// the longest part is the sum, so that there is nothing to hide.
  std::optional<double> hidden;
};

/// How choices of an earlier process did beside the defaults, see Options::revalidate.
struct RevalidationReport {
  TimeSummary defaults;            ///< makespan of the region with all defaults
  TimeSummary kept;                ///< with the kept choices, in the same rounds
  std::optional<SearchGain> gain;  ///< of the kept choices over the defaults; empty without valid times
  bool defaults_won = false;
};

/// What one problem did in one row, e.g. "config-1 (iter-0)", "config-2 (candidate)" or "-" (not launched).
struct TableCell {
  std::size_t problem = 0;  ///< index in RegionReport::problems
  std::string text;
};

/// One row of the iteration table. A problem without a cell used its best config. A table therefore takes
/// memory only for what was tried, not for every problem in every row.
struct TableRow {
  std::string iteration;  ///< "0", "1", ..., "final"
  Phase phase = Phase::walk;
  std::vector<TableCell> cells;  ///< in order of `problem`
};

/// One `run` of a region.
struct RegionReport {
  std::string region;
  std::string run_id;
  std::vector<ProblemReport> problems;  ///< in the order agreed between ranks
  std::vector<SearchReport> searches;   ///< in their order; the last one has what is in force
  std::vector<TableRow> table;
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::int64_t retakes = 0;  ///< steps, and runs of the search, that had to be measured again
  Mode mode = Mode::tune;
  bool outputs_repeat = true;      ///< false: on some rank, runs with the same configs wrote other outputs
  bool hit_iteration_cap = false;  ///< max_iterations has cut the walk or the search
  /// With every kernel's default and the default alternatives, from the closing comparison of the last
  /// search. Empty unless that compares the choice with all defaults (see SearchReport::reference), and, as
  /// `tuned_makespan`, if the final run has replaced the choice.
  std::optional<TimeSummary> default_makespan;
  std::optional<TimeSummary> tuned_makespan;  ///< with the chosen configs, from the same comparison
  std::optional<LimitReport> limit;           ///< if Options::parts is set and the run ended well
  /// If Options::revalidate has compared choices of an earlier process with the defaults.
  std::optional<RevalidationReport> revalidation;
  /// The host's time that tuning took on this rank, the final run included; without the time between two runs
  /// of a region that the program itself drives, and without that of the parts (see LimitReport).
  std::int64_t tuning_ns = 0;
  std::vector<std::string> warnings;
  std::string timer;  ///< the timer's name, e.g. "CUPTI"
  /// False if the timer measures only how long the host takes to launch. What it has chosen for a kernel that
  /// works on a stream is not kept for other processes.
  bool timer_measures_devices = true;
  std::optional<std::int64_t> timer_bias_ns;  ///< see Timer::bias_ns
  std::string log_directory;                  ///< empty: no log

  /// Returns the text of a cell: "best-config" if nothing was tried in it, and nothing in rows before the
  /// problem was first seen. `row` and `problem` index `table` and `problems` and are not checked.
  CONTEXTUAL_API std::string cell_text(std::size_t row, std::size_t problem) const;
  /// Returns the iteration table as Markdown, with the rows of all phases or only of one.
  CONTEXTUAL_API std::string table_text(std::optional<Phase> only = std::nullopt) const;
  /// Returns the report for people, in lines of at most `width` columns, 40 or more: choices, the region's
  /// makespan beside all defaults, how often it ran and how long tuning took; with other details the rest.
  CONTEXTUAL_API std::string to_string(Detail detail = Detail::choices, std::size_t width = 120) const;
  /// Returns one line for each choice, in aligned columns: kernel, key, config, its own time beside the other
  /// choices and how that compares with the default's beside all defaults; where the search did not run these
  /// together, both are of the walk. A choice between alternatives has its gain over the default one, each at
  /// its best; kernels inside one that was not chosen are marked. Where there is no room in `width` columns,
  /// configs, and then keys and kernels, have lines of their own.
  CONTEXTUAL_API std::string choices_text(std::size_t width = 120) const;
  /// Returns what an assignment of a search of this report has beside defaults, e.g. "gemm {BLOCK: 64}".
  CONTEXTUAL_API std::string assignment_text(const SearchReport& search, const Assignment& assignment) const;
  /// Returns a few lines on each search of what is in use: what was measured, what is gained over its
  /// reference and how sure that is, what lost the closing comparison, what is within the noise of the
  /// choice, and what the best configs by own time would cost.
  CONTEXTUAL_API std::string searches_text() const;
  /// Returns a few lines on the parts of the region, how short it could be, and what it hides; empty without
  /// parts.
  CONTEXTUAL_API std::string limit_text() const;
};

/// The runs of a tuner, in order. Successive runs of a region that had nothing to tune appear once, and of a
/// region that is tuned again and again there are the latest ones.
struct Report {
  static constexpr int most_runs_of_region = 16;  ///< of which older ones are left out

  std::vector<RegionReport> runs;

  /// Returns the latest run of a region, or null if there is none. The pointer is valid as long as this
  /// report.
  CONTEXTUAL_API const RegionReport* find(std::string_view region) const&;
  /// A loop over `tuner.report().find("step")->warnings` would refer to what is gone: ask for report("step").
  const RegionReport* find(std::string_view region) const&& = delete;
};

}  // namespace contextual
