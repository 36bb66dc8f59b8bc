#pragma once

/// \file
/// The region that is tuned: a tunable kernel of its own, and a layer of all ranks on the same stream. The
/// fault happens between the two.

#include "gpu/faults/layer_under_fault.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/scale_kernel.hpp"
#include "mpi/faults/injector.hpp"

namespace contextual::test::gpu_test {

/// The results of one rank: wrong elements of the layer.
struct RegionResults {
  std::size_t while_tuning = 0;
  std::size_t afterwards = 0;  ///< of some calls outside of tuning
  std::size_t own_kernel = 0;  ///< elements that show an extra or a missing effect of the own kernel
};

/// Its kernels live as long as it does.
///
/// Kinds of faults, all of them right before the layer: `throw`, `kill` and `stop` of the injector's point
/// `before_layer`; `skip`, which leaves the layer out; `hold`, which occupies the stream; and `config`, with
/// which the config of the own kernel asks for more shared memory than there is.
class RegionUnderFault {
 public:
  /// `hold`: how long the stream is occupied by the fault `hold`.
  RegionUnderFault(std::unique_ptr<LayerUnderFault> layer, faults::Injector& injector,
                   std::chrono::nanoseconds hold);

  /// Before a tuning: from here on all ranks take the same sets of data, however many runs each has made
  /// before.
  void begin() { runs_of_tuning_ = 0; }

  /// One run of the region, which compares its result with what is expected.
  void operator()();

  /// After each run that has settled: looks at the layer's result, if nothing does so in stream order.
  void check_run();

  /// Waits for the device, and calls the layer a few times more, on all ranks.
  RegionResults results();

 private:
  Scale::Definition own_definition();

  faults::Injector& injector_;
  std::chrono::nanoseconds hold_;
  bool config_failed_ = false;
  int runs_ = 0;
  int runs_of_tuning_ = 0;
  Stream stream_;
  std::unique_ptr<LayerUnderFault> layer_;
  std::size_t wrong_while_tuning_ = 0;
  DeviceArray<float> values_;  ///< 1 or -1, for an even or odd number of runs
  Scale own_;
};

}  // namespace contextual::test::gpu_test
