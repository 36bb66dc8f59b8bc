#pragma once

/// \file
/// LaunchRegistry: every living tunable kernel of the process, and what it launches for which region.

#include <contextual/export.hpp>
#include <contextual/key.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

namespace detail {
class KernelCore;
class LockInTable;
}  // namespace detail

/// One a process, never destroyed, so that kernels of static storage may outlive everything else.
/// Thread-safe. A second copy of the library in the process is detected and named: see `other_copies`.
class CONTEXTUAL_API LaunchRegistry {
 public:
  static LaunchRegistry& instance();

  LaunchRegistry(const LaunchRegistry&) = delete;
  LaunchRegistry& operator=(const LaunchRegistry&) = delete;
  ~LaunchRegistry() = delete;

  std::vector<std::string> kernel_names() const;  ///< of living kernels, in order of registration

  /// What is locked in for a kernel and key in a region of this name; empty when nothing is. A config id.
  std::optional<std::size_t> locked_in(std::string_view region, std::string_view kernel,
                                       const Key& key) const;

  /// Paths of other copies of this library in the process; their kernels are invisible to this one.
  std::vector<std::string> other_copies() const;

  // For the engine.
  void add(const std::shared_ptr<detail::KernelCore>& core);
  void remove(const detail::KernelCore& core) noexcept;
  std::shared_ptr<detail::LockInTable> table_for(const std::string& kernel, std::uint64_t space_digest);
  void publish(const detail::KernelCore& core);  ///< opens a kernel's fast path unless a run is active
  std::uint32_t region_id(std::string_view scope,
                          std::string_view region);  ///< > 0, the same for equal names
  std::vector<std::shared_ptr<detail::KernelCore>> coupled(std::string_view coupling) const;
  std::vector<std::shared_ptr<detail::KernelCore>> kernels() const;
  void begin_run();  ///< while a run is active, launches without its context are counted
  void end_run() noexcept;
  bool run_active() const noexcept;

 private:
  LaunchRegistry();
  struct Impl;
  Impl* impl_;
};

/// Registers a kernel while it lives; move-only by nature of its owner.
class CONTEXTUAL_API KernelRegistration {
 public:
  explicit KernelRegistration(std::shared_ptr<detail::KernelCore> core);
  KernelRegistration(const KernelRegistration&) = delete;
  KernelRegistration& operator=(const KernelRegistration&) = delete;
  ~KernelRegistration();

 private:
  std::shared_ptr<detail::KernelCore> core_;
};

}  // namespace contextual
