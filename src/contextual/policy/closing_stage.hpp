#pragma once

/// \file
/// What follows a search: its best assignment is compared with the defaults, one candidate after the other.
/// Where alternatives were compared, the choice is then also compared with the defaults of everything. Pure.

#include "contextual/policy/closing_contest.hpp"
#include "contextual/policy/search_driver.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/search_samples.hpp"
#include "contextual/policy/search_scope.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace contextual::policy {

/// The search that is running, closing comparisons included.
struct OngoingSearch {
  SearchRecord record{};
  Reason failure{};           ///< why no assignment can be locked in; empty if one can, or is not known yet
  bool stopped = false;       ///< nothing may be run any more
  std::uint64_t context = 0;  ///< counts what makes earlier plans void
};

/// Keeps references to the scope and the search, and to what is ongoing: it changes the record, the failure
/// and the context of that. Not thread-safe.
class ClosingStage {
 public:
  ClosingStage(const SearchBasis& basis, const SearchScope& scope, const SearchSamples& samples,
               SearchDriver& driver, OngoingSearch& ongoing)
      : basis_(basis),
        scope_(scope),
        samples_(samples),
        driver_(driver),
        ongoing_(ongoing),
        record_(ongoing.record) {}

  /// What comes next.
  enum class Next {
    goes_on,         ///< as before
    searches_again,  ///< the search, for the second best
    begins_anew,     ///< what own times chose is infeasible, so they do not decide
  };

  /// Prepares for the comparisons of the scope's search.
  void prepare();
  /// Forgets everything.
  void drop();
  /// All comparisons of the search, from here on, take at most so many runs.
  void limit(std::int64_t runs);

  /// Begins with the candidate, or with what is known to run if there is none.
  void begin(const std::optional<Assignment>& candidate, const Reason& reason, ClosingContest::Claim claim);
  /// Goes on until there are runs to plan. Returns false when all comparisons are over.
  bool advance();
  std::vector<SearchTrial> plan() const;
  Next observe(const SearchObservation& observation);
  /// Call it after each rejection of a config. What is compared now with it fails when it is planned.
  void reject(std::size_t problem, std::size_t config_id);

  /// Returns true if a closing comparison has begun and is not over.
  bool comparing() const { return contest_ && contest_->running() && contest_->comparison().begun(); }
  /// Returns true while it compares what is decided with all defaults.
  bool compares_overall() const noexcept { return overall_.has_value(); }
  /// Returns the record of the comparison that is running.
  SearchRecord& record() noexcept { return overall_ ? *overall_ : record_; }
  /// Returns the record of the comparison with all defaults, if one was made.
  std::optional<SearchRecord>& overall() noexcept { return overall_; }
  /// Returns how many runs the comparisons can still take, if no time is missing.
  std::int64_t most_runs_left() const;

 private:
  Next sampled_further(const SearchObservation& observation);
  void sample(const Assignment& assignment, int samples);
  void begin_with_candidate();
  void choose_unmeasured();
  Reason known_failure() const;
  bool compares_further() const;
  bool may_compare() const;
  void begin_comparison(Assignment reference, Reference kind);
  ClosingContest::Verdict end_comparison();
  void begin_closing();
  bool end_closing();
  void lose();
  void give_back();
  std::optional<Assignment> next_candidate();
  std::optional<SearchScope::Next> next_by_time() const;
  std::optional<SearchScope::Next> next() const;
  std::optional<SearchScope::Next> next_measured() const;
  bool defaults_may_be_behind() const;
  bool set_aside();
  bool has_lost(const Assignment& assignment) const;
  void choose_better();
  void choose_in_noise();
  bool own_times_favor_base(const Assignment& chosen) const;
  bool is_open(const ComparedChoice& compared, const ComparedChoice& other) const;
  void note_open();
  void begin_overall();
  void end_overall();

  SearchBasis basis_;
  const SearchScope& scope_;
  const SearchSamples& samples_;
  SearchDriver& driver_;
  OngoingSearch& ongoing_;
  SearchRecord& record_;                                         ///< the ongoing one
  std::optional<ClosingContest> contest_;                        ///< of the candidates with the defaults
  ClosingContest::Claim claim_ = ClosingContest::Claim::faster;  ///< of what is chosen now
  int further_samples_ = 0;                                      ///< of what own times chose
  int samples_of_next_ = 0;                ///< of what is next to it, if that are the defaults
  std::vector<SearchTrial> to_sample_;     ///< the same trial, as often as it may have to be planned
  std::vector<double> sampled_;            ///< the medians of those samples, in ns
  std::optional<SearchScope::Next> next_;  ///< of what is compared now
  std::optional<ComparedChoice> aside_;    ///< while what is next to it, and may be shorter, is compared
  std::optional<ComparedChoice> open_;     ///< what own times speak for, though noise hides whether it gains
  std::map<std::size_t, bool> by_makespan_;  ///< of all searches so far: what decides a problem
  std::optional<SearchRecord> overall_;      ///< of the comparison with all defaults
};

}  // namespace contextual::policy
