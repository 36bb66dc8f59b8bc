#pragma once

/// \file
/// The part of a KernelTuner that does not depend on its types.

#include <contextual/detail/config/space_view.hpp>
#include <contextual/export.hpp>
#include <contextual/kernel_tuner_options.hpp>
#include <contextual/tune_request.hpp>
#include <contextual/tuning_result.hpp>

#include <functional>
#include <memory>
#include <string>

namespace contextual::detail {

/// Tunes the one kernel that its region launches.
class CONTEXTUAL_API KernelTunerCore {
 public:
  /// `kernel` is the name of a living kernel. Does not check the options.
  KernelTunerCore(std::string kernel, KernelTunerOptions options);
  KernelTunerCore(const KernelTunerCore&) = delete;
  KernelTunerCore& operator=(const KernelTunerCore&) = delete;
  ~KernelTunerCore();

  /// Returns the request with what it leaves out.
  TuneRequest completed(TuneRequest request) const;
  /// See KernelTuner::tune. `request` is completed; `launch` launches the kernel once; `space` is its space.
  TuningResult tune(const TuneRequest& request, const SpaceView& space, const std::function<void()>& launch);
  ConfigCache& cache();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::detail
