#pragma once

/// \file
/// What a run has chosen is published to the kernels.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/record/recorder.hpp"

#include <cstddef>
#include <map>

namespace contextual::tuning {

/// What started a tuning run.
enum class Origin {
  run,         ///< a call of `run`, or a wrapped region's first call
  later_call,  ///< a wrapped region's later call that met something new
};

/// The choices of one run, as far as they are published.
class LockIns {
 public:
  LockIns(detail::RunContext& context, record::Recorder& recorder, Origin origin)
      : context_(context), recorder_(recorder), origin_(origin) {}

  /// Publishes what is finished and has not been published as it is now. A provisional choice is used in this
  /// region only, and says so in the report's warnings.
  void publish(const agreement::Problems& problems);

  /// Problems without a published choice.
  std::size_t open_count() const;
  /// No choice of this run is provisional.
  bool lasting() const noexcept { return lasting_; }

 private:
  struct Published {
    std::size_t config_id = 0;
    bool provisional = false;
    bool operator==(const Published&) const = default;
  };
  void publish(detail::ProblemSlot& slot, const policy::ProblemRecord& record, Published choice);
  detail::Standing provisional_standing(const detail::ProblemSlot& slot) const;

  detail::RunContext& context_;
  record::Recorder& recorder_;
  Origin origin_;
  std::map<std::size_t, Published> published_;  ///< by slot
  bool lasting_ = true;
};

}  // namespace contextual::tuning
