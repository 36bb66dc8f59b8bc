#pragma once

/// \file
/// The region that is tuned: two tunable kernels, which spin for some microseconds, and the region's own
/// communication on MPI_COMM_WORLD between them.

#include "command_line.hpp"
#include "injector.hpp"

#include <contextual/kernel.hpp>

#include <memory>
#include <system_error>

namespace faults {

struct Spin {
  int microseconds = 20;
};

using SpinKernel = contextual::TunableKernel<std::error_code(const Spin&, int)>;

/// Its kernels live as long as it does.
class FaultRegion {
 public:
  /// Asks `injector` which kernels this rank makes.
  FaultRegion(Injector& injector, bool ring);

  /// One run of the region.
  void operator()();

 private:
  std::unique_ptr<SpinKernel> first_kernel();
  std::unique_ptr<SpinKernel> second_kernel();
  void launch_first();
  void launch_second();
  void communicate() const;

  Injector& injector_;
  bool ring_;
  std::unique_ptr<SpinKernel> first_;
  std::unique_ptr<SpinKernel> second_;
  std::unique_ptr<SpinKernel> extra_;  ///< for an extra launch
};

}  // namespace faults
