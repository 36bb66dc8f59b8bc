#pragma once

/// \file
/// The order in which one tuning problem tries its configs in the walk. Pure.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace contextual::policy {

/// What a tuning problem does in one tuning iteration of its walk.
struct Step {
  std::size_t config_id = 0;  ///< the config that its launches use
  int iteration = 0;          ///< counts the uses of this config in the walk from 0: the table's "iter-0"
  bool warmup = false;        ///< its time is measured but is never a sample

  bool operator==(const Step&) const = default;
};

/// The walk goes in rounds, and each round visits the configs in order: some warm-ups, then some samples. In
/// the documented table one round has all of them. In a race, a visit is a lead-in and two samples, and after
/// a round what is surely slower drops out: a config of which even the shortest use is longer than the
/// longest sample of the leader, which has the shortest median (the first one of several). A race ends when
/// one config is left, or when all that are left have `n_repeat` samples; so of a config that drops out there
/// are fewer. Not thread-safe.
class Walk {
 public:
  enum class Order { table, race };

  /// `left_out` says which configs are never tried. Both numbers are at least 1.
  Walk(Order order, const std::vector<bool>& left_out, int n_warmup, int n_repeat);

  /// Returns the next steps, at most `max_steps`, and only those that do not depend on further times. The
  /// result is empty if and only if the walk is complete.
  std::vector<Step> plan(std::size_t max_steps) const;

  /// Takes in the time of a step, which is greater than 0, or nothing: then a sample stays due. A step that
  /// is not due is ignored.
  void observe(const Step& step, std::optional<std::int64_t> time_ns);

  /// The config is not planned any more.
  void reject(std::size_t config_id);

  /// Returns how many steps remain if nothing drops out any more and every step has a time.
  std::size_t remaining_steps() const;

 private:
  struct Entry {
    bool out = false;  ///< left out, rejected, or surely slower
    int uses = 0;
    std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();  ///< of all uses
    std::vector<std::int64_t> samples_ns;
  };

  std::size_t visit_length() const { return warmups_ + samples_; }
  void step_on();
  void skip_rejected();
  bool complete(const Entry& config) const { return config.samples_ns.size() >= least_; }
  void drop_slower();
  void begin_round();

  std::vector<Entry> configs_;
  std::size_t warmups_;             ///< of a visit
  std::size_t samples_;             ///< of a visit
  std::size_t least_;               ///< samples of a config that stays to the end
  std::vector<std::size_t> round_;  ///< the configs of the current round
  std::size_t rounds_ = 0;          ///< begun so far
  std::size_t place_ = 0;           ///< in the round
  std::size_t done_ = 0;            ///< uses of the config at this place, in this round
};

}  // namespace contextual::policy
