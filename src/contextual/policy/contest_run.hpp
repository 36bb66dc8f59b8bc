#pragma once

/// \file
/// One contest of the finals while it runs. Each round tries every contender once; contenders are compared by
/// the paired differences of their makespans. If those tie, the candidates of one problem are compared by
/// their own times, measured in turn beside the other problems' choices. Pure.

#include "contextual/policy/contest.hpp"
#include "contextual/policy/own_time_tie.hpp"
#include "contextual/policy/policy_options.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// A config for every problem, in problem order.
using Assignment = std::vector<std::size_t>;

class ContestRun {
 public:
  struct Entry {
    std::size_t label = 0;  ///< Contender::config_id
    std::string name;       ///< appears in reasons
    Assignment assignment;
    bool is_default = false;  ///< the default wins ties
  };

  /// What one tuning iteration of a contest does.
  struct Trial {
    std::size_t entry = 0;  ///< an index of `entries`
    int round = 0;          ///< 0 is the warm-up
    bool warmup = false;
  };

  /// The decision of the contest.
  struct Result {
    Contest contest;
    std::size_t winner = 0;  ///< an index of `entries`
    std::string verdict;     ///< why it won, in a few words
    bool tie = false;        ///< true if makespans tied and own times decided
    double loss = 0;         ///< for a tie: by which fraction the makespan may have become longer
    /// The incumbent and the entries between which noise may have decided. If not empty, nothing is decided.
    std::vector<std::size_t> close;
  };

  struct Limits {
    int rounds = 5;        ///< the number of rounds that must count
    double tie_slack = 0;  ///< makespans that are longer by at most this fraction tie
    bool last = false;     ///< true if no contest is held again, so that this one decides
  };

  /// `contest` has the kind, problem and pass. The first of `entries` is the incumbent.
  ContestRun(Contest contest, std::vector<Entry> entries, Limits limits, const PolicyOptions& options);

  const Contest& contest() const { return contest_; }
  const std::vector<Entry>& entries() const { return entries_; }

  /// Returns the next trials, at most `max_trials`, provided that no round has to be repeated.
  std::vector<Trial> plan(std::size_t max_trials) const;
  std::size_t remaining() const;

  /// Takes in one trial, in planned order. Without a makespan, its round is repeated, up to a limit. `own_ns`
  /// is the own time of the contest's problem, if it is a contest of one problem.
  void observe(const Trial& trial, std::optional<std::int64_t> makespan_ns,
               std::optional<std::int64_t> own_ns);

  /// Removes an entry. The contest becomes void without the incumbent (entry 0), and a last contest also
  /// without any other entry. Start another contest then.
  void drop(std::size_t entry);
  bool is_void() const {
    return !alive_[0] || (limits_.last && std::count(alive_.begin(), alive_.end(), true) < 2);
  }

  int rounds_begun() const;    ///< including the warm-up
  int rounds_retaken() const;  ///< repeated because a makespan was missing

  Result decide() const;

 private:
  /// The times of a trial; 0 for a missing one.
  struct Times {
    std::int64_t makespan_ns = 0;
    std::int64_t own_ns = 0;
  };

  std::size_t entry_at(int round, std::size_t position) const;
  void skip_dropped();
  bool valid(int round) const;
  int total_rounds() const;
  std::vector<int> valid_rounds() const;
  bool enough(std::size_t rounds) const;
  Rank rank(std::size_t entry) const { return {!entries_[entry].is_default, entries_[entry].label}; }

  Contender measure(std::size_t entry, const std::vector<int>& rounds) const;
  bool eligible(std::size_t entry, const Contender& contender, const Summary& incumbent) const;
  double required_gain_ns(std::size_t entry, double incumbent_ns) const;
  bool is_close(std::size_t entry, const Contender& contender, double incumbent_ns) const;
  std::vector<std::size_t> best_by_gain(const std::vector<Contender>& contenders) const;
  void settle_gain(Result& result) const;

  /// The winner of some entries by their own times.
  struct ByOwnTime {
    std::size_t winner = 0;
    std::vector<std::size_t> close;
    std::size_t rounds = 0;
    std::string text;
  };
  double loss_of(const std::vector<Contender>& contenders, std::size_t entry) const;
  bool ties_by_noise(const Contender& incumbent, const Contender& contender) const;
  double noise_of(const std::vector<Contender>& contenders, std::size_t entry) const;
  std::vector<std::size_t> tied_with_incumbent(const std::vector<Contender>& contenders,
                                               const std::vector<int>& rounds, bool or_by_noise) const;
  std::optional<ByOwnTime> by_own_time(const std::vector<std::size_t>& entries,
                                       const std::vector<int>& rounds) const;
  void settle_tie(Result& result, const std::vector<int>& rounds) const;
  void note_close(Result& result, const ByOwnTime& own, const std::vector<int>& rounds) const;

  std::string names(const std::vector<std::size_t>& entries) const;
  std::string own_time_text(const OwnTimeDecision& own, const std::vector<std::size_t>& entries) const;
  std::string explain(const std::vector<Contender>& contenders, std::size_t winner) const;

  const PolicyOptions* options_;
  Limits limits_;
  Contest contest_;
  std::vector<Entry> entries_;
  std::vector<bool> alive_;
  std::vector<std::vector<Times>> times_;  ///< [round][entry]
  int round_ = 0;                          ///< of the next trial, if there is one
  std::size_t position_ = 0;               ///< of the next trial in its round
};

}  // namespace contextual::policy
