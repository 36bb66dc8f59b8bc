#pragma once

/// \file
/// A search: which assignments of configs to all tuning problems of a region are tried, and which one is
/// chosen, by the makespan of the region. It uses no clock, no device and no communication.
///
/// Every rank feeds its own instance the same agreed observations, so that every rank plans the same trials.
/// A search that reads anything else (the time, random numbers without a fixed seed, an address) makes the
/// ranks diverge. `contextual/testing/search_conformance.hpp` checks for that.
///
/// Options::search says how long a tuning run searches, and SearchSettings::factory installs another search.
/// `benchmarks/search_replay` replays searches on recorded regions.

#include <contextual/config.hpp>
#include <contextual/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual {

/// How much a tuning run measures before it locks in. A run of the region is one tuning iteration.
enum class SearchLevel {
  off,       ///< the walk alone: the documented table and nothing else
  quick,     ///< about 150 runs and no walk: kernels that overlap nothing race by their own time
  normal,    ///< the walk, then a search; about 400 runs in all
  thorough,  ///< the same with about 800 runs
};

/// The config id of every problem of a search, in the order of SearchRequest::problems.
using Assignment = std::vector<std::size_t>;

/// One config of a problem, as a search sees it.
struct SearchConfig {
  Config parameters;      ///< empty for a kernel whose configs have no names
  bool candidate = true;  ///< false if it must never be planned: left out or rejected
  /// True for one of the values that ConfigSpace::refine adds: worth a trial only near the best. The walk has
  /// not tried it.
  bool refinement = false;
  /// Its own time in the walk, in ns, the median; empty if the walk has no sample of it.
  std::optional<double> time_ns{};
};

/// One tuning problem, as a search sees it.
struct SearchProblem {
  std::string kernel;
  std::string key;
  std::vector<SearchConfig> configs;  ///< config 0 is the default
};

/// One tuning iteration, as a search sees it. Times are maxima over ranks in ns, and empty where they are
/// missing.
struct SearchRun {
  std::optional<std::int64_t> makespan_ns;
  std::vector<std::optional<std::int64_t>> times_ns;  ///< own times, in the order of the problems
};

/// An assignment that the walk has run, with what it measured.
struct SearchSample {
  Assignment assignment;
  std::vector<SearchRun> runs;  ///< those after the warm-ups; empty if the assignment failed
};

/// Describes the region that a search is made for.
struct SearchRequest {
  std::vector<SearchProblem> problems;
  Assignment start;  ///< the choices so far: the walk's, else the defaults
  /// Further assignments to begin with: what was chosen for this region elsewhere, for example on another
  /// machine. They may have run or failed in the walk, and `feasible` may rule them out.
  std::vector<Assignment> further_starts{};
  std::vector<SearchSample> walked;  ///< every assignment of the walk
  std::int64_t max_runs = 0;         ///< the most runs of the region that the search may plan
  double min_gain = 0.005;           ///< a smaller relative gain in makespan is not worth a further run
  double tie_margin = 0.005;         ///< makespans whose relative difference is smaller are equal
  std::uint64_t seed = 0;            ///< for random choices; equal on all ranks
  /// Returns false for an assignment that the user has ruled out. A search may ask it before it plans one;
  /// the tuner reports a planned one as infeasible without running it. Always set.
  std::function<bool(const Assignment&)> feasible = [](const Assignment&) { return true; };
};

/// One visit to an assignment: a lead-in run and then `samples` further runs with the same assignment.
///
/// The lead-in comes right after a change of configs or an exchange and is up to 70 % too long. It is never a
/// sample; a search may use it to put assignments in an order.
struct SearchTrial {
  Assignment assignment;
  int samples = 1;  ///< at least 0

  bool operator==(const SearchTrial&) const = default;
};

/// The result of one trial, agreed between all ranks.
struct SearchObservation {
  SearchTrial trial;
  /// The lead-in and the samples, fewer than planned if the rest was not run.
  std::vector<SearchRun> runs;
  /// True if the assignment is infeasible. It must not be planned again, and its configs stay candidates.
  bool infeasible = false;
  /// True if the lead-in came right after an exchange between the ranks, whose skew it then holds.
  bool after_exchange = false;
};

/// Each rank has one instance per region, which it calls from one thread at a time.
///
/// An exception of a search, or of its factory, ends the run. This rank's `run` throws it unchanged, after it
/// has met the other ranks in their next exchange; those that did not throw end with RegionFailedError, which
/// names rank and cause. They may run the region once more before that exchange, without this rank: a region
/// that waits for a message of this rank is then ended by the watchdog, as when the region throws on one
/// rank. Problems locked in already stay, and the next `run` works.
class CONTEXTUAL_API Search {
 public:
  Search() = default;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  virtual ~Search();

  /// Returns the trials of the next batch, after which the ranks meet. The result is empty if and only if the
  /// search is complete. The result stays the same until the next call that is not const.
  ///
  /// An assignment that has not run successfully yet costs one run if it is infeasible, because it is run
  /// once before its first trial: the tuner then plans that run alone, and reports a trial without samples.
  virtual std::vector<SearchTrial> plan() const = 0;

  /// Takes in the result of one trial. Trials are observed in the order in which they were run. A planned
  /// trial that was not run, or was run without its samples, is planned again if the search wants it.
  virtual void observe(const SearchObservation& observation) = 0;

  /// Rejects a config, which must not be planned again. It may already be rejected.
  virtual void reject(std::size_t problem, std::size_t config_id) = 0;

  /// Takes in that an assignment, which was the best so far, was not shown to be shorter than the defaults
  /// when it was compared with them in turn. It must be neither the best nor planned again. The tuner asks
  /// for the best once more and compares that. The search need not plan anything after it.
  virtual void lost(const Assignment& assignment) = 0;

  /// Returns the assignment to lock in: the best so far, or nothing if no feasible one has been found. It
  /// must have run, in the walk or in a trial; otherwise `run` throws InvalidArgument. Of several that are
  /// equal within the tie margin it is best to prefer the defaults, and to decide the rest by a fixed order,
  /// so that another tuning comes to the same choice.
  virtual std::optional<Assignment> best() const = 0;

  /// Says in a few words why `best` was chosen.
  virtual std::string reason() const = 0;

  /// Returns an upper bound of the remaining runs, lead-ins included. It is 0 if and only if the search is
  /// complete.
  virtual std::size_t remaining_runs() const = 0;
};

/// Makes the search of one region. Called with equal requests on all ranks, on the thread of `run`.
using SearchFactory = std::function<std::unique_ptr<Search>(const SearchRequest&)>;

/// Makes the built-in search. It keeps a belief about the makespan of every assignment (a Gaussian process in
/// which configs, parameter values and pairs of configs contribute, the device drifts and single runs are
/// noisy), tries what may be the shortest, and lets the few that may be the best race at the end.
CONTEXTUAL_API std::unique_ptr<Search> joint_search(const SearchRequest& request);

}  // namespace contextual
