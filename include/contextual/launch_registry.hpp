#pragma once

/// \file
/// LaunchRegistry: the living tunable kernels of the process and the configs locked in for them.

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
struct Pin;
}  // namespace detail

/// There is one registry per process. It is never destroyed, so that kernels with static storage duration can
/// still unregister while the process exits. Thread-safe. A second copy of the library in the process has a
/// registry of its own, see `other_copies`.
class CONTEXTUAL_API LaunchRegistry {
 public:
  /// Returns the registry of this copy of the library.
  static LaunchRegistry& instance();

  LaunchRegistry(const LaunchRegistry&) = delete;
  LaunchRegistry& operator=(const LaunchRegistry&) = delete;
  ~LaunchRegistry() = delete;

  std::vector<std::string> kernel_names() const;  ///< of the living kernels, in order of registration

  /// Returns the id of the config that is locked in for a region, kernel and key, or nothing if none is. The
  /// kernel need not live any more.
  std::optional<std::size_t> locked_in(std::string_view region, std::string_view kernel,
                                       const Key& key) const;

  /// Returns the paths of other copies of this library in the process. This copy does not see their kernels.
  std::vector<std::string> other_copies() const;

  // Used by the library itself.
  void add(const std::shared_ptr<detail::KernelCore>& core);
  void remove(const detail::KernelCore& core) noexcept;
  /// The table of a kernel of this name and KernelCore::table_digest, which becomes the name's latest one.
  std::shared_ptr<detail::LockInTable> table_for(const std::string& kernel, std::uint64_t digest);
  /// The same for a kernel that does not exist yet: the latest one stays.
  std::shared_ptr<detail::LockInTable> kept_table(const std::string& kernel, std::uint64_t digest);
  /// Replaces what is pinned in a region, for kernels that exist and for those to come.
  void pin(std::uint32_t region_id, const std::vector<detail::Pin>& pins);
  void publish(const detail::KernelCore& core);  ///< opens the kernel's fast path unless a run is active
  /// Returns a number above 0, the same for equal names. `ranks` is how many run the region.
  std::uint32_t region_id(std::string_view scope, std::string_view region, int ranks = 1);
  std::string region_name(std::uint32_t region_id) const;  ///< empty for an id that it has not returned
  bool of_several_ranks(std::uint32_t region_id) const;
  /// A choice of the region has failed to launch, and the ranks that use it have not met since.
  void note_failed_choice(std::uint32_t region_id);
  bool has_failed_choice(std::uint32_t region_id) const;
  /// Makes the defaults provisional for all that is locked in for the region.
  void forget_choices(std::uint32_t region_id);
  /// Does so if one of them has failed to launch: for a rank alone, which need not meet others for that. Not
  /// while the region runs.
  void forget_failed_choices(std::uint32_t region_id);
  /// Notes that choices of the region were published.
  void note_publication(std::uint32_t region_id);
  /// Returns a number that is another one if some tuner may have changed a choice of the region since.
  std::uint64_t publications(std::uint32_t region_id) const;
  std::vector<std::shared_ptr<detail::KernelCore>> coupled(std::string_view coupling) const;
  std::vector<std::shared_ptr<detail::KernelCore>> kernels() const;
  void begin_run();  ///< until `end_run`, launches without a region's context are counted
  void end_run() noexcept;
  bool run_active() const noexcept;

 private:
  LaunchRegistry();
  struct Impl;
  Impl* impl_;
};

/// Registers a kernel as long as this object lives. Can be neither copied nor moved.
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
