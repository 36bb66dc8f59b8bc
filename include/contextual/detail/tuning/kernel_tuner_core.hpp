#pragma once

/// \file
/// The part of a KernelTuner that does not depend on its types.

#include <contextual/detail/config/space_view.hpp>
#include <contextual/export.hpp>
#include <contextual/kernel_tuner_options.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>
#include <contextual/tune_request.hpp>
#include <contextual/tuning_result.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace contextual::detail {

/// The kernel of one call of KernelTuner::tune, with the call's arguments.
struct TunedKernelCall {
  std::function<SpaceView()> space;        ///< throws ConfigSpaceError
  std::function<void()> launch;            ///< launches the kernel once
  std::function<Key()> key;                ///< of that launch
  std::function<bool(std::size_t)> keeps;  ///< whether `keep` allows the config
  std::function<KernelWork()> work;        ///< of that launch
  bool takes_arguments = false;            ///< what it launches may differ from call to call
  /// Fills in what the driver knows of the config's code; may be empty. May throw.
  std::function<void(std::size_t, KernelMetrics&)> add_metrics{};
};

/// Tunes the one kernel that its region launches.
class CONTEXTUAL_API KernelTunerCore {
 public:
  /// `kernel` is the name of a living kernel. Does not check the options.
  KernelTunerCore(std::string kernel, KernelTunerOptions options);
  KernelTunerCore(const KernelTunerCore&) = delete;
  KernelTunerCore& operator=(const KernelTunerCore&) = delete;
  ~KernelTunerCore();

  /// See KernelTuner::tune.
  TuningResult tune(TuneRequest request, const TunedKernelCall& call);
  ConfigCache& cache();
  /// Returns the request with what it leaves out.
  TuneRequest completed(TuneRequest request) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::detail
