#pragma once

/// \file
/// CudaKernel: a tunable kernel whose variants are compiled at run time.

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/parameters.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/detail/cuda_kernel_core.hpp>
#include <contextual/kernel.hpp>

#include <cuda.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual {

/// What a CudaKernel is made of; everything but `source`, `variant` and `layout` may be left out.
template <typename C, typename... Args>
struct CudaKernelDefinition {
  CudaSource source{};
  std::function<CudaVariant(const C&)> variant{};
  /// Grid, block, cluster and shared memory of one launch. Pure: also called for configs that are not
  /// launched, to find out whether they could be.
  std::function<CudaLayout(const C&, const Args&...)> layout{};
  /// Adds the kernel's parameters in their order, where they are not `Args` as they are: e.g. a tensor map,
  /// which is made of a pointer and the config's tile. Called for every launch, on the launching thread;
  /// obeys the rule of the interception. ConfigRejected rejects the config.
  std::function<void(CudaParameters&, const C&, const Args&...)> parameters{};
  /// `prepare` is called after the variant is compiled and loaded.
  KernelOptions<CUresult(const C&, CUstream, Args...)> options{};
};

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
 public:
  using Definition = CudaKernelDefinition<C, Args...>;
  using KeyFunction = std::function<Key(const Args&...)>;
  using Launcher = CUresult(const C&, CUstream, Args...);

  CudaKernel(std::string name, ConfigSpace<C> space, KeyFunction key, Definition definition)
      : parts_(std::make_shared<Parts>(std::move(space), std::move(key), std::move(definition))),
        // Neither its key function nor its launcher is called: this class launches by itself.
        kernel_(std::move(name), parts_->space, {}, {}, options_of(parts_)) {}
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  /// Launches on `stream` with the config that is due, locked in, or the default. Throws CudaError when a
  /// launch outside of tuning fails.
  void operator()(CUstream stream, Args... args) {
    const Key key = parts_->key(args...);
    const int config_id = kernel_.resolve(key);
    const CUresult code =
        config_id >= 0
            ? parts_->launch(static_cast<std::size_t>(config_id), stream, args...)
            : kernel_.launch_while_tuning(
                  key, [&](std::size_t id) { return parts_->launch(id, stream, args...); }, stream, args...);
    if (code != CUDA_SUCCESS) [[unlikely]] {
      throw_failed(code);
    }
  }

  /// Compiles and loads one config for the current context, as its first launch would, and throws what that
  /// would.
  void load(std::size_t config_id = 0) { parts_->core.load(config_id); }

  // For a tunable kernel that has this one's configs among its own, as one of several implementations.

  /// May this config be tried for such a launch? False where the definition prunes it. Remembers the launch's
  /// layout for `prepare`, under the other kernel's key. To be called where that kernel's own `prune` is.
  bool expect(std::size_t config_id, const Key& key, CUstream stream, const Args&... args) {
    return !prunes(*parts_, parts_->space[config_id], key, stream, args...);
  }
  /// What the tuner does before a config is due: compiles all configs, loads this one, checks what was
  /// expected for `key` against the device's limits and calls the definition's `prepare`. Throws
  /// ConfigRejected, CudaError.
  void prepare(std::size_t config_id, const Key& key) { prepare(*parts_, parts_->space[config_id], key); }
  /// Launches this config, whatever is being tuned or locked in.
  CUresult launch_config(std::size_t config_id, CUstream stream, Args... args) {
    return parts_->launch(config_id, stream, args...);
  }

  const std::string& name() const noexcept { return kernel_.name(); }
  const ConfigSpace<C>& space() const noexcept { return kernel_.space(); }

 private:
  /// Shared with what the engine keeps of the kernel, which may outlive it.
  struct Parts {
    Parts(ConfigSpace<C> configs, KeyFunction key_of, Definition d)
        : space(std::move(configs)),
          key(std::move(key_of)),
          definition(std::move(d)),
          core(definition.source, [this] { return variants(); }) {}

    std::vector<CudaVariant> variants() const {
      std::vector<CudaVariant> all;
      for (const C& config : space.configs()) {
        all.push_back(definition.variant(config));
      }
      return all;
    }
    CUresult launch(std::size_t id, CUstream stream, Args&... args) {
      const C& config = first()[id];
      const CudaLayout layout = definition.layout(config, args...);
      if (definition.parameters) {
        return launch_with_parameters(id, stream, layout, args...);
      }
      if constexpr ((std::is_trivially_copyable_v<Args> && ...)) {
        void* parameters[] = {&args..., nullptr};
        return core.launch(id, stream, layout, parameters);
      } else {
        throw InvalidArgument("a CudaKernel whose arguments are not trivially copyable needs `parameters`");
      }
    }
    /// On its own, because its stack frame is large.
    [[gnu::noinline]] CUresult launch_with_parameters(std::size_t id, CUstream stream,
                                                      const CudaLayout& layout, Args&... args) {
      CudaParameters parameters;
      definition.parameters(parameters, first()[id], args...);
      return core.launch(id, stream, layout, parameters.pointers());
    }
    /// The configs. Asking the space takes its lock, so that is done once.
    const C* first() const {
      const C* configs = configs_of_space.load(std::memory_order_acquire);
      if (configs == nullptr) [[unlikely]] {
        configs = space.configs().data();
        configs_of_space.store(configs, std::memory_order_release);
      }
      return configs;
    }
    /// The engine hands out references into the space's own list.
    std::size_t id_of(const C& config) const { return static_cast<std::size_t>(&config - first()); }

    ConfigSpace<C> space;
    mutable std::atomic<const C*> configs_of_space{nullptr};
    KeyFunction key;
    Definition definition;
    detail::CudaKernelCore core;
  };

  [[noreturn, gnu::cold, gnu::noinline]] void throw_failed(CUresult code) const {
    throw CudaError("launch of kernel \"" + kernel_.name() + "\" failed: " + cuda_error_text(code),
                    static_cast<int>(code));
  }

  static void prepare(Parts& parts, const C& config, const Key& key) {
    parts.core.prepare(parts.id_of(config), key);
    if (parts.definition.options.prepare) {
      parts.definition.options.prepare(config);
    }
    if (parts.definition.options.prepare_for) {
      parts.definition.options.prepare_for(config, key);
    }
  }

  /// Asked for every config at a problem's first launch: what its layout would be is all that is kept of it.
  static bool prunes(Parts& parts, const C& config, const Key& key, const CUstream& stream,
                     const Args&... args) {
    const auto& also = parts.definition.options.prune;
    if (also && also(config, stream, args...)) {
      return true;
    }
    parts.core.expect(parts.id_of(config), key, parts.definition.layout(config, args...));
    return false;
  }

  static KernelOptions<Launcher> options_of(const std::shared_ptr<Parts>& parts) {
    KernelOptions<Launcher> options = parts->definition.options;
    options.prepare = nullptr;
    options.prepare_for = [parts](const C& config, const Key& key) { prepare(*parts, config, key); };
    options.preload = [parts, then = options.preload](const C& config) {
      parts->core.preload(parts->id_of(config));
      if (then) {
        then(config);
      }
    };
    options.prune = [parts](const C& config, const CUstream& stream, const Args&... args) {
      return prunes(*parts, config, parts->key(args...), stream, args...);
    };
    return options;
  }

  std::shared_ptr<Parts> parts_;
  TunableKernel<Launcher> kernel_;
};

}  // namespace contextual
