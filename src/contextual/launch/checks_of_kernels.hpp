#pragma once

/// \file
/// The checks that objects have registered for the kernels that they launch, and those of a run's options.

#include <contextual/registered_checks.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::detail {

struct ChecksOfKernels {
  std::vector<std::string> kernels;  ///< none: all, for checks of a run's options
  KernelChecks checks;

  bool of_all() const noexcept { return kernels.empty(); }
  /// `name`: of a tuning problem.
  bool concern(std::string_view name) const;
};

/// Returns those that live, in the order of their registration. Thread-safe.
std::vector<std::shared_ptr<const ChecksOfKernels>> registered_checks();

}  // namespace contextual::detail
