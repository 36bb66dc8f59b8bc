#pragma once

/// \file
/// The part of a CudaKernel without name, key and engine: its variants, and how a config is prepared and
/// launched.

#include <contextual/config_space.hpp>
#include <contextual/cuda/kernel_definition.hpp>
#include <contextual/cuda/parameters.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/detail/cuda/cuda_kernel_core.hpp>
#include <contextual/detail/launch/config_table.hpp>
#include <contextual/error.hpp>
#include <contextual/key.hpp>

#include <cuda.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual::detail {

/// Shared between the kernel and the functions that its engine keeps, which may outlive the kernel.
/// Thread-safe.
template <typename C, typename... Args>
class CudaKernelParts {
 public:
  using Definition = CudaKernelDefinition<C, Args...>;

  CudaKernelParts(ConfigSpace<C> space, Definition definition)
      : configs_(std::move(space)),
        definition_(std::move(definition)),
        core_(definition_.source, [this] { return variants(); }) {}
  CudaKernelParts(const CudaKernelParts&) = delete;
  CudaKernelParts& operator=(const CudaKernelParts&) = delete;

  const ConfigTable<C>& configs() const noexcept { return configs_; }
  const Definition& definition() const noexcept { return definition_; }
  std::string source_text() const noexcept { return core_.source_text(); }

  /// Returns true if this config is a candidate.
  bool keeps(std::size_t id, const CUstream& stream, const Args&... args) const {
    const auto& keep = definition_.options.keep;
    return !keep || keep(configs_[id], stream, args...);
  }
  /// Remembers the layout of such a launch. Called for every candidate at a problem's first launch in a run.
  void expect(std::size_t id, const Key& key, const Args&... args) {
    core_.expect(id, key, definition_.layout(configs_[id], args...));
  }

  /// See KernelTraits::load.
  void load(std::size_t id, const Key* key) {
    core_.load_for(id, key);
    if (definition_.options.load) {
      definition_.options.load(configs_[id], key);
    }
  }

  CUfunction load(std::size_t id) { return core_.load(id); }
  CudaLayout layout(std::size_t id, const Args&... args) const {
    return definition_.layout(configs_[id], args...);
  }

  CUresult launch(std::size_t id, CUstream stream, Args&... args) {
    const CudaLayout layout = definition_.layout(configs_[id], args...);
    if (definition_.parameters) {
      return launch_with_parameters(id, stream, layout, args...);
    }
    if constexpr ((std::is_trivially_copyable_v<Args> && ...)) {
      void* parameters[] = {&args..., nullptr};
      return core_.launch(id, stream, layout, parameters);
    } else {
      throw InvalidArgument("a CudaKernel whose arguments are not trivially copyable needs `parameters`");
    }
  }

 private:
  std::vector<CudaVariant> variants() const {
    std::vector<CudaVariant> all;
    for (const C& config : configs_.space().configs()) {
      all.push_back(definition_.variant(config));
    }
    return all;
  }

  /// A function of its own, because its stack frame is large.
  [[gnu::noinline]] CUresult launch_with_parameters(std::size_t id, CUstream stream, const CudaLayout& layout,
                                                    Args&... args) {
    CudaParameters parameters;
    definition_.parameters(parameters, configs_[id], args...);
    return core_.launch(id, stream, layout, parameters.pointers());
  }

  ConfigTable<C> configs_;
  Definition definition_;
  CudaKernelCore core_;
};

}  // namespace contextual::detail
