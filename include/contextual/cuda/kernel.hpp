#pragma once

/// \file
/// CudaKernel: a tunable kernel whose variants are compiled at run time.

#include <contextual/config_space.hpp>
#include <contextual/cuda/error.hpp>
#include <contextual/cuda/kernel_definition.hpp>
#include <contextual/detail/cuda/cuda_kernel_parts.hpp>
#include <contextual/detail/cuda/definition_arguments.hpp>
#include <contextual/detail/launch/checked_function.hpp>
#include <contextual/detail/launch/launch_engine.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace contextual {

/// A tunable kernel of CUDA C++ that NVRTC compiles, one variant a config, launched by the driver in the
/// stream's context; several devices are loaded for separately.
///
/// `Args` are the kernel's parameters, copied to the device as they are: trivially copyable types. With
/// `parameters` in the definition they may be anything.
///
/// While tuning, all candidates are compiled in parallel, loaded and checked against the device's limits
/// before they are due, outside of the region; what does not compile, or asks for more shared memory,
/// threads, registers or cluster size than the device has, is rejected with the compiler's or the driver's
/// words. A launch outside of tuning compiles its config when it is the first one of it; `load` does so
/// ahead.
///
/// Throws as TunableKernel, and CudaUnavailable, CudaError. Thread-safe to call.
template <typename C, typename... Args>
class CudaKernel {
  using CheckedKey = detail::CheckedFunction<detail::CudaKeyFits, Key(const Args&...)>;

 public:
  using Definition = CudaKernelDefinition<C, Args...>;
  using KeyFunction = typename CheckedKey::Function;

  CudaKernel(std::string name, ConfigSpace<C> space, CheckedKey key, Definition definition)
      : parts_(std::make_shared<Parts>(std::move(space), std::move(definition))),
        key_(std::move(key).function()),
        engine_(std::move(name), parts_->configs().space(), engine_options()) {}
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  /// Launches on `stream` with the config that is due, locked in, or the default. Throws CudaError when a
  /// launch outside of tuning fails.
  void operator()(CUstream stream, Args... args) {
    const Key key = key_(args...);
    const int config_id = engine_.resolve(key);
    const CUresult code =
        config_id >= 0
            ? parts_->launch(static_cast<std::size_t>(config_id), stream, args...)
            : engine_.launch_in_run(
                  config_id, key, [&](std::size_t id) { return parts_->launch(id, stream, args...); }, stream,
                  args...);
    if (code != CUDA_SUCCESS) [[unlikely]] {
      throw_failed(code);
    }
  }

  /// Compiles and loads one config for the current context, as its first launch would, and throws what that
  /// would.
  void load(std::size_t config_id = 0) { parts_->load(config_id); }

  // For a tunable kernel that has this one's configs among its own, as one of several implementations.

  /// Is this config a candidate for such a launch? False where the definition does not keep it. Remembers the
  /// launch's layout for `prepare`, under the other kernel's key. To be called where that kernel's own `keep`
  /// is.
  bool expect(std::size_t config_id, const Key& key, CUstream stream, const Args&... args) {
    return parts_->keeps(config_id, key, stream, args...);
  }
  /// What the tuner does before a config is due: compiles all configs, loads this one, checks what was
  /// expected for `key` against the device's limits and calls the definition's `prepare`. Throws
  /// ConfigRejected, CudaError.
  void prepare(std::size_t config_id, const Key& key) { parts_->prepare(config_id, key); }
  /// Launches this config, whatever is being tuned or locked in.
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

  /// The definition's, with what the parts do. `keep` is called during this kernel's launches only; the
  /// others may be called when it is gone.
  typename Engine::Options engine_options() {
    typename Engine::Options options = parts_->definition().options;
    const auto parts = parts_;
    options.prepare = nullptr;
    options.prepare_for = [parts](const C& config, const Key& key) {
      parts->prepare(parts->configs().id_of(config), key);
    };
    options.preload = [parts](const C& config) { parts->preload(parts->configs().id_of(config)); };
    options.keep = [this](const C& config, const CUstream& stream, const Args&... args) {
      return parts_->keeps(parts_->configs().id_of(config), key_(args...), stream, args...);
    };
    return options;
  }

  std::shared_ptr<Parts> parts_;
  KeyFunction key_;
  Engine engine_;
};

}  // namespace contextual
