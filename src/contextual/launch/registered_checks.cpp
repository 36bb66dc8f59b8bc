#include "contextual/launch/checks_of_kernels.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/error.hpp>
#include <contextual/registered_checks.hpp>

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace contextual {

using detail::ChecksOfKernels;

namespace {

/// Never destroyed, as the registry of kernels.
struct Living {
  std::mutex mutex;
  std::vector<std::shared_ptr<const ChecksOfKernels>> checks;

  static Living& instance() {
    static auto* const living = [] {
      // A fork while another thread holds the lock would leave it locked in the child for ever.
      pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); },
                     [] { instance().mutex.unlock(); });
      return new Living;
    }();
    return *living;
  }
};

}  // namespace

bool ChecksOfKernels::concern(std::string_view name) const {
  return of_all() || std::find(kernels.begin(), kernels.end(), name) != kernels.end();
}

std::vector<std::shared_ptr<const ChecksOfKernels>> detail::registered_checks() {
  Living& living = Living::instance();
  const std::lock_guard lock(living.mutex);
  return living.checks;
}

RegisteredChecks::RegisteredChecks(std::vector<std::string> kernels, KernelChecks checks)
    : checks_(
          std::make_shared<const ChecksOfKernels>(ChecksOfKernels{std::move(kernels), std::move(checks)})) {
  if (checks_->kernels.empty()) {
    throw InvalidArgument("RegisteredChecks got no kernel: name the kernels that the checks concern");
  }
  options::check_outputs(checks_->checks.outputs,
                         "RegisteredChecks of kernel \"" + checks_->kernels.front() + "\"");
  Living& living = Living::instance();
  const std::lock_guard lock(living.mutex);
  living.checks.push_back(checks_);
}

RegisteredChecks::~RegisteredChecks() {
  Living& living = Living::instance();
  const std::lock_guard lock(living.mutex);
  std::erase(living.checks, checks_);
}

}  // namespace contextual
