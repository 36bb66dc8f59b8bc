#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/library_copies.hpp"

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/launch_registry.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <utility>

namespace contextual {

using detail::KernelCore;
using detail::LockInTable;

struct LaunchRegistry::Impl {
  /// The tables of one kernel name.
  struct NamedTables {
    std::map<std::uint64_t, std::shared_ptr<LockInTable>> by_digest;
    std::shared_ptr<LockInTable> latest;  ///< that a kernel has asked for
  };
  using Kernels = std::list<std::shared_ptr<KernelCore>>;
  using Places = std::multimap<std::string, Kernels::iterator, std::less<>>;

  mutable std::mutex mutex;
  Kernels kernels;   ///< in order of registration
  Places names;      ///< of `kernels`; of one name more than one only by mistake
  Places couplings;  ///< of the coupled ones, in order of registration
  std::map<std::string, NamedTables, std::less<>> tables;  ///< by kernel name; outlive the kernel
  struct Region {
    std::string name;
    bool of_several_ranks = false;
    bool choice_failed = false;
    std::uint64_t publications = 0;
  };
  std::map<std::string, std::uint32_t, std::less<>> region_ids;
  std::map<std::uint32_t, Region> regions;
  std::atomic<int> active_runs{0};
  static std::string region_key(std::string_view scope, std::string_view region) {
    return std::string(scope).append("\n").append(region);
  }

  void refresh_name(const std::string& name) {
    const auto [first, last] = names.equal_range(name);
    const bool ambiguous = std::distance(first, last) > 1;
    for (auto place = first; place != last; ++place) {
      KernelCore& kernel = **place->second;
      kernel.set_ambiguous(ambiguous);
      kernel.set_pins(detail::PinBook::instance().of(kernel));
      kernel.set_fast_path(active_runs.load(std::memory_order_relaxed) == 0);
    }
  }

  static Places::iterator find(Places& places, const std::string& text, const KernelCore& core) {
    const auto [first, last] = places.equal_range(text);
    const auto place = std::find_if(first, last, [&](const auto& at) { return at.second->get() == &core; });
    return place == last ? places.end() : place;
  }

  void set_fast_paths(bool enabled) {
    for (const auto& kernel : kernels) {
      kernel->set_fast_path(enabled);
    }
  }
};

LaunchRegistry::LaunchRegistry() : impl_(new Impl) {
  detail::PinBook::instance();  // before the handlers: the last ones are called first
  // A fork while another thread holds the lock would leave it locked in the child for ever.
  pthread_atfork([] { instance().impl_->mutex.lock(); }, [] { instance().impl_->mutex.unlock(); },
                 [] { instance().impl_->mutex.unlock(); });
}

LaunchRegistry& LaunchRegistry::instance() {
  static auto* const registry = new LaunchRegistry;  // never destroyed: see the class
  return *registry;
}

std::vector<std::string> LaunchRegistry::kernel_names() const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<std::string> names;
  for (const auto& kernel : impl_->kernels) {
    names.push_back(kernel->traits().name);
  }
  return names;
}

std::optional<std::size_t> LaunchRegistry::locked_in(std::string_view region, std::string_view kernel,
                                                     const Key& key) const {
  const std::lock_guard lock(impl_->mutex);
  const auto id = impl_->region_ids.find(Impl::region_key({}, region));
  const auto table = impl_->tables.find(kernel);
  if (id == impl_->region_ids.end() || table == impl_->tables.end() || table->second.latest == nullptr) {
    return std::nullopt;
  }
  const int config_id = table->second.latest->find(id->second, key);
  return config_id == LockInTable::none ? std::nullopt : std::optional<std::size_t>(config_id);
}

std::vector<std::string> LaunchRegistry::other_copies() const {
  return detail::other_library_copies();
}

void LaunchRegistry::add(const std::shared_ptr<KernelCore>& core) {
  const std::lock_guard lock(impl_->mutex);
  const detail::KernelTraits& traits = core->traits();
  const auto place = impl_->kernels.insert(impl_->kernels.end(), core);
  impl_->names.emplace(traits.name, place);
  if (!traits.coupling.empty()) {
    impl_->couplings.emplace(traits.coupling, place);
  }
  impl_->refresh_name(traits.name);
}

void LaunchRegistry::remove(const KernelCore& core) noexcept {
  const std::lock_guard lock(impl_->mutex);
  const detail::KernelTraits& traits = core.traits();
  const auto named = Impl::find(impl_->names, traits.name, core);
  if (named == impl_->names.end()) {
    return;
  }
  const Impl::Kernels::iterator place = named->second;
  impl_->names.erase(named);
  if (const auto member = Impl::find(impl_->couplings, traits.coupling, core);
      member != impl_->couplings.end()) {
    impl_->couplings.erase(member);
  }
  impl_->kernels.erase(place);
  impl_->refresh_name(traits.name);
}

void LaunchRegistry::pin(std::uint32_t region_id, const std::vector<detail::Pin>& pins) {
  const std::lock_guard lock(impl_->mutex);
  detail::PinBook::instance().replace(region_id, pins);
  for (const auto& kernel : impl_->kernels) {
    kernel->set_pins(detail::PinBook::instance().of(*kernel));
    kernel->set_fast_path(impl_->active_runs.load(std::memory_order_relaxed) == 0);
  }
}

std::shared_ptr<LockInTable> LaunchRegistry::table_for(const std::string& kernel, std::uint64_t digest) {
  std::shared_ptr<LockInTable> table = kept_table(kernel, digest);
  const std::lock_guard lock(impl_->mutex);
  impl_->tables[kernel].latest = table;
  return table;
}

std::shared_ptr<LockInTable> LaunchRegistry::kept_table(const std::string& kernel, std::uint64_t digest) {
  const std::lock_guard lock(impl_->mutex);
  std::shared_ptr<LockInTable>& table = impl_->tables[kernel].by_digest[digest];
  if (table == nullptr) {
    table = std::make_shared<LockInTable>();
  }
  return table;
}

void LaunchRegistry::publish(const KernelCore& core) {
  const std::lock_guard lock(impl_->mutex);
  impl_->refresh_name(core.traits().name);
}

std::uint32_t LaunchRegistry::region_id(std::string_view scope, std::string_view region, int ranks) {
  const std::lock_guard lock(impl_->mutex);
  const auto next = static_cast<std::uint32_t>(impl_->region_ids.size() + 1);
  const std::uint32_t id = impl_->region_ids.try_emplace(Impl::region_key(scope, region), next).first->second;
  impl_->regions[id].name = region;
  impl_->regions[id].of_several_ranks |= ranks > 1;
  return id;
}

std::string LaunchRegistry::region_name(std::uint32_t region_id) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->regions[region_id].name;
}

bool LaunchRegistry::of_several_ranks(std::uint32_t region_id) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->regions[region_id].of_several_ranks;
}

void LaunchRegistry::note_failed_choice(std::uint32_t region_id) {
  const std::lock_guard lock(impl_->mutex);
  impl_->regions[region_id].choice_failed = true;
}

bool LaunchRegistry::has_failed_choice(std::uint32_t region_id) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->regions[region_id].choice_failed;
}

void LaunchRegistry::forget_choices(std::uint32_t region_id) {
  const std::lock_guard lock(impl_->mutex);
  impl_->regions[region_id].choice_failed = false;
  ++impl_->regions[region_id].publications;
  for (const auto& [name, tables] : impl_->tables) {
    for (const auto& [digest, table] : tables.by_digest) {
      table->forget(region_id);
    }
  }
}

void LaunchRegistry::forget_failed_choices(std::uint32_t region_id) {
  if (has_failed_choice(region_id)) {
    forget_choices(region_id);
  }
}

void LaunchRegistry::note_publication(std::uint32_t region_id) {
  const std::lock_guard lock(impl_->mutex);
  ++impl_->regions[region_id].publications;
}

std::uint64_t LaunchRegistry::publications(std::uint32_t region_id) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->regions[region_id].publications;
}

std::vector<std::shared_ptr<KernelCore>> LaunchRegistry::coupled(std::string_view coupling) const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<std::shared_ptr<KernelCore>> members;
  const auto [first, last] = impl_->couplings.equal_range(coupling);
  std::transform(first, last, std::back_inserter(members), [](const auto& at) { return *at.second; });
  return members;
}

std::vector<std::shared_ptr<KernelCore>> LaunchRegistry::kernels() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->kernels.begin(), impl_->kernels.end()};
}

void LaunchRegistry::begin_run() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->active_runs.fetch_add(1) == 0) {
    impl_->set_fast_paths(false);
  }
}

void LaunchRegistry::end_run() noexcept {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->active_runs.fetch_sub(1) == 1) {
    impl_->set_fast_paths(true);
  }
}

bool LaunchRegistry::run_active() const noexcept {
  return impl_->active_runs.load(std::memory_order_acquire) > 0;
}

KernelRegistration::KernelRegistration(std::shared_ptr<KernelCore> core) : core_(std::move(core)) {
  LaunchRegistry::instance().add(core_);
}

KernelRegistration::~KernelRegistration() {
  core_->mark_destroyed();
  LaunchRegistry::instance().remove(*core_);
}

}  // namespace contextual
