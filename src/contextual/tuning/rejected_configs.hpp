#pragma once

/// \file
/// The configs that are out in a tuning run, and what takes the place of choices that are.

#include "contextual/agreement/batch_agreement.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/record/recorder.hpp"

#include <exception>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Returns what launches on this rank have rejected in the batch. The other ranks know of a rejection only
/// after it: until then this rank alone has launched another config, which a kernel that communicates may not
/// survive. Thread-safe.
std::vector<std::string> rejections_of_batch(detail::RunContext& context);

/// What the ranks agreed to reject. All ranks call all of it alike. `plan` is that of the batch, for the log.
/// Not thread-safe.
class RejectedConfigs {
 public:
  /// All outlive the object.
  RejectedConfigs(agreement::ProblemSet& problems, record::Recorder& recorder)
      : problems_(problems), recorder_(recorder) {}

  /// From now on launches do not use these. The state gets to know them from others.
  void mark(const std::vector<policy::RejectionOutcome>& rejections, const detail::BatchPlan& plan);

  /// Returns true if a final run with this outcome does not have to be the last one.
  bool allow_another(const agreement::BatchAgreement::FinalRun& seen) const;
  /// A choice that failed in a final run is out, and the second best takes its place. Returns true if the
  /// region is to be run with that. Where it is not run again, the choices are those that this last run fell
  /// back to.
  bool replace_choices(const agreement::BatchAgreement::FinalRun& seen, const detail::BatchPlan& plan);

  /// Returns true if the run has to end because of what is out.
  bool end_run() const;
  /// Throws what it ends with then: TuningFailedError, or InvalidArgument for a pin.
  [[noreturn]] void throw_end_of_run(const std::string& region) const;

 private:
  bool replace_wrong_choices(const agreement::BatchAgreement::FinalRun& seen, bool again);

  agreement::ProblemSet& problems_;
  record::Recorder& recorder_;
  int rejected_final_runs_ = 0;
  std::exception_ptr pin_failure_;  ///< a pinned config cannot be launched
};

}  // namespace contextual::tuning
