#pragma once

/// \file
/// The frame of the searches that the library's own is compared with.

#include "search/trial_ledger.hpp"

#include <contextual/search.hpp>

#include <optional>
#include <string>
#include <vector>

namespace search_replay {

/// Asks its derived class for the next batch whenever the last one has been observed, until that class has no
/// further trials or no runs are left.
class BaselineSearch : public contextual::Search {
 public:
  std::vector<contextual::SearchTrial> plan() const final { return ledger_.pending(); }
  void observe(const contextual::SearchObservation& observation) final;
  void reject(std::size_t problem, std::size_t config_id) final;
  void lost(const contextual::Assignment& assignment) final;
  std::size_t remaining_runs() const final;

 protected:
  explicit BaselineSearch(const contextual::SearchRequest& request) : request_(request), ledger_(request) {}

  /// Returns the trials of the next batch, or nothing if the search is complete. They may contain what cannot
  /// be run. Everything planned before has been observed.
  virtual std::vector<contextual::SearchTrial> next_trials() = 0;

  /// Plans the first batch. The constructor of each derived class ends with it.
  void begin() { advance(); }

  const contextual::SearchRequest& request() const { return request_; }
  const TrialLedger& ledger() const { return ledger_; }

 private:
  void advance();

  contextual::SearchRequest request_;
  TrialLedger ledger_;
  bool complete_ = false;
};

}  // namespace search_replay
