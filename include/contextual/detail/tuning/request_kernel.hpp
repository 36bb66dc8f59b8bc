#pragma once

/// \file
/// The tunable kernel that a KernelTuner makes of a launcher: its key is the request.

#include <contextual/config_space.hpp>
#include <contextual/detail/tuning/function_kernel.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>
#include <contextual/tune_request.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::detail {

template <typename Signature>
class RequestKernel;

/// A device that the request leaves out is found by the engine at each launch.
inline Key key_of(const TuneRequest& request) {
  Key key;
  for (const std::int64_t size : request.problem_size) {
    key.append(size);
  }
  if (!request.device.empty()) {
    key.append(request.device);
  }
  return key;
}

/// The launcher as a function, which may launch tunable kernels: these are then tuned first. One thread
/// launches at a time.
template <typename R, typename C, typename... Args>
class RequestKernel<R(const C&, Args...)> {
 public:
  using Launcher = DirectCallable<R(const C&, Args&...)>;

  RequestKernel(std::string name, ConfigSpace<C> space, Launcher launch,
                KernelOptions<R(const C&, Args...)> options)
      : launch_(std::move(launch)),
        kernel_(
            std::move(name), std::move(space),
            [this](const std::remove_reference_t<Args>&... /*args*/) { return key_of(*request_); }, launch_,
            std::move(options)) {}
  RequestKernel(const RequestKernel&) = delete;
  RequestKernel& operator=(const RequestKernel&) = delete;

  void launch(const TuneRequest& request, Args&... args) {
    request_ = &request;
    std::size_t used = 0;
    static_cast<void>(kernel_.launch(used, key_of(request), args...));
  }
  bool keeps(std::size_t config_id, const std::remove_reference_t<Args>&... args) const {
    return kernel_.engine().keeps(config_id, args...);
  }
  KernelWork work(const std::remove_reference_t<Args>&... args) const {
    return kernel_.engine().work(args...);
  }
  const ConfigSpace<C>& space() const noexcept { return kernel_.engine().space(); }

 private:
  const Launcher launch_;
  const TuneRequest* request_ = nullptr;  ///< of the latest launch
  FunctionKernel<R(const C&, Args...)> kernel_;
};

}  // namespace contextual::detail
