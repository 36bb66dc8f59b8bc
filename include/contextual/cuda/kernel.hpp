#pragma once

/// \file
/// CudaKernel: a tunable kernel whose variants are compiled at run time.

#include <contextual/config_space.hpp>
#include <contextual/cuda/device_facts.hpp>
#include <contextual/cuda/error.hpp>
#include <contextual/cuda/kernel_definition.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/cuda/cuda_kernel_parts.hpp>
#include <contextual/detail/cuda/definition_arguments.hpp>
#include <contextual/detail/launch/launch_engine.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace contextual {

/// A tunable kernel of CUDA C++. NVRTC compiles each variant, of which configs may have the same; the driver
/// launches it in the context of the stream. Code is loaded separately for each device.
///
/// `Args` are the kernel's parameters, copied bytewise to the device, so their types must be trivially
/// copyable. If the definition has `parameters`, `Args` may be any types.
///
/// While tuning, outside of the region, all configs are compiled in parallel. Each is loaded and checked
/// against the device's limits before its first use. A config that does not compile, or that needs more
/// shared memory, threads, registers or a larger cluster than the device allows, is rejected with the words
/// of the compiler or the driver. Outside of tuning, the first launch of a config compiles and loads it,
/// unless `load` did so.
///
/// Launches throw as those of a TunableKernel do, and CudaUnavailable or CudaError. Calls are thread-safe.
/// The object can be neither copied nor moved.
template <typename C, typename... Args>
class CudaKernel {
  using CheckedKey = detail::CheckedFunction<detail::CudaKeyFits, Key(const Args&...)>;

 public:
  using Definition = CudaKernelDefinition<C, Args...>;
  using KeyFunction = CheckedKey;

  /// `key` takes `Args...`, without the stream. Compiles nothing and does not touch CUDA.
  CudaKernel(std::string name, ConfigSpace<C> space, CheckedKey key, Definition definition)
      : parts_(std::make_shared<Parts>(std::move(space), std::move(definition))),
        key_(std::move(key)),
        engine_(
            std::move(name), parts_->configs().space(),
            [key = key_](const CUstream& /*stream*/, const Args&... args) { return key(args...); },
            parts_->definition().layout.code(), engine_options(), detail::LaunchKind::kernel,
            [parts = parts_] { return parts->source_text(); },
            [this](const C& config, const CUstream& /*stream*/, const Args&... args) {
              parts_->expect(parts_->configs().id_of(config), key_(args...), args...);
            }) {}
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  /// Launches on `stream` with the config that TunableKernel would choose, and does not wait for the launch.
  /// Outside of tuning it throws CudaError if the launch fails, and so does that of the default, see
  /// ConfigRejected.
  void operator()(CUstream stream, Args... args) {
    const Key key = key_(args...);
    const int config_id = engine_.resolve(key, stream, args...);
    const auto launch = [&](std::size_t id) { return parts_->launch(id, stream, args...); };
    const CUresult code = config_id >= 0 ? engine_.launch_chosen(config_id, key, launch)
                                         : engine_.launch_in_run(config_id, key, launch, stream, args...);
    if (code != CUDA_SUCCESS) [[unlikely]] {
      throw_failed(code);
    }
  }

  /// Compiles and loads one config for the current context, as its first launch would. Returns its function
  /// in that context, for example for add_code_metrics; it stays loaded. Throws ConfigRejected if it does not
  /// compile, CudaUnavailable or CudaError.
  CUfunction load(std::size_t config_id = 0) { return parts_->load(config_id); }
  /// Fills in registers, local memory and occupancy of a config launched with these arguments, and the share
  /// of the peak bandwidth if there is a rate without one. Loads the config for the current context, and
  /// throws as `load` and add_code_metrics do. A KernelTuner calls it for its results.
  void add_metrics(std::size_t config_id, KernelMetrics& metrics, const CUstream& /*stream*/,
                   const Args&... args) {
    add_code_metrics(metrics, load(config_id), parts_->layout(config_id, args...));
    add_bandwidth_fraction(metrics);
  }

  /// Returns the key of a launch with these arguments.
  Key key(const CUstream& /*stream*/, const Args&... args) const { return key_(args...); }
  /// Returns true if the config is a candidate for a launch with these arguments: unless the definition's
  /// `keep` leaves it out. `config_id` is below `space().size()`.
  bool keeps(std::size_t config_id, const CUstream& stream, const Args&... args) const {
    return engine_.keeps(config_id, stream, args...);
  }
  /// Returns the work of a launch with these arguments, by the definition's `work`; nothing without it.
  KernelWork work(const CUstream& stream, const Args&... args) const { return engine_.work(stream, args...); }

  // For another tunable kernel that uses this kernel as one of several implementations.

  /// Returns true if the config is a candidate for a launch with these arguments, that is, unless the
  /// definition's `keep` leaves it out. Remembers the layout of such a launch for `load`. Call it from the
  /// other kernel's `keep`, with that kernel's key. Takes a short lock.
  bool expect(std::size_t config_id, const Key& key, CUstream stream, const Args&... args) {
    const bool kept = parts_->keeps(config_id, stream, args...);
    if (kept) {
      parts_->expect(config_id, key, args...);
    }
    return kept;
  }
  /// Prepares a config as the tuner does: compiles all configs, loads this one, checks the layout remembered
  /// for `key` against the device's limits, and calls the definition's `load`. Throws ConfigRejected,
  /// CudaUnavailable or CudaError. Call it from the other kernel's `load`.
  void load(std::size_t config_id, const Key& key) { parts_->load(config_id, &key); }
  /// Launches this config, regardless of what is being tuned or locked in, and returns the driver's status.
  CUresult launch_config(std::size_t config_id, CUstream stream, Args... args) {
    return parts_->launch(config_id, stream, args...);
  }

  const std::string& name() const noexcept { return engine_.name(); }
  const ConfigSpace<C>& space() const noexcept { return engine_.space(); }

 private:
  using Parts = detail::CudaKernelParts<C, Args...>;
  using Engine = detail::LaunchEngine<CUresult(const C&, CUstream, Args...)>;

  [[noreturn, gnu::cold, gnu::noinline]] void throw_failed(CUresult code) const {
    throw CudaError("launch of kernel \"" + name() + "\" failed: " + cuda_error_text(code),
                    static_cast<int>(code));
  }

  /// The definition's options, with a `load` that may be called after the kernel's end, so that it shares the
  /// parts.
  typename Engine::Options engine_options() {
    typename Engine::Options options = parts_->definition().options;
    const auto parts = parts_;
    options.load = {detail::WithKeyPointer(), [parts](const C& config, const Key* key) {
                      parts->load(parts->configs().id_of(config), key);
                    }};
    return options;
  }

  std::shared_ptr<Parts> parts_;
  KeyFunction key_;
  Engine engine_;
};

}  // namespace contextual
