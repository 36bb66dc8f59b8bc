#include "contextual/config/utf8_text.hpp"
#include "contextual/launch/device_check.hpp"
#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/launch/thread_state_scope.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/storage/code_module.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace contextual::detail {
namespace {

// Initial-exec: one load relative to the thread pointer. The library is small enough for the static TLS
// reserve when it is loaded by dlopen.
constinit thread_local ThreadState this_thread __attribute__((tls_model("initial-exec")));

/// Files have UTF-8 alone, and what is written in them with other bytes would not be found by them again.
void check_utf8(const std::string& kernel, const char* what, const std::string& text) {
  if (as_kept(text) != text) {
    throw InvalidArgument("tunable kernel \"" + as_kept(kernel) + "\": its " + what +
                          " is not UTF-8, so nothing that is kept for it would be found again");
  }
}

}  // namespace

[[gnu::hot]] ThreadState& thread_state() noexcept {
  return this_thread;
}

KernelCore::KernelCore(KernelTraits traits) : traits_(std::move(traits)), name_hash_(hash_of(traits_.name)) {}

std::uint64_t KernelCore::hash_of(std::string_view name) noexcept {
  return StableHash().add(name).value();
}

KernelCore::~KernelCore() = default;

[[gnu::hot]] int KernelCore::resolve(const Key& key) const {
  const ThreadState& thread = this_thread;
  if (thread.log != nullptr) {
    check_device();
    return tuning;
  }
  if (const LockInTable* table = fast_table_.load(std::memory_order_acquire)) [[likely]] {
    return look_up(*table, key);
  }
  return resolve_slowly(key);
}

int KernelCore::look_up(const LockInTable& table, const Key& key) const noexcept {
  const ThreadState& thread = this_thread;
  if (thread.region != 0) {
    const int config_id = table.find(thread.region, key, thread.scope);
    if (thread.use != nullptr) [[unlikely]] {
      return look_up_in_pass(table, key, config_id);
    }
    if (config_id != LockInTable::none) {
      return config_id;
    }
  }
  if (thread.defaults_only) {
    return 0;
  }
  const int config_id = table.find(0, key, thread.scope);
  return config_id == LockInTable::none ? 0 : config_id;
}

/// `config_id` is what is locked in for the region, or none.
int KernelCore::look_up_in_pass(const LockInTable& table, const Key& key, int config_id) const noexcept {
  if (this_thread.defaults_only) {
    return 0;
  }
  UsePass& pass = *this_thread.use;
  const bool new_here =
      config_id == LockInTable::none ||
      table.finality(this_thread.region, key, this_thread.scope) == ChoiceFinality::provisional;
  if (new_here) {
    pass.saw_new(*this, key);
  }
  if (config_id == LockInTable::none) {
    config_id = std::max(table.find(0, key, this_thread.scope), 0);
  }
  return pass.watched() ? first_watched - config_id : config_id;
}

int KernelCore::resolve_slowly(const Key& key) const {
  check_device();
  make_ready();
  if (this_thread.use == nullptr || this_thread.use->namesakes() == Namesakes::are_refused) {
    check_unambiguous();
  }
  const bool in_region = this_thread.region != 0 || this_thread.defaults_only;
  if (!in_region && LaunchRegistry::instance().run_active()) {
    unguarded_launches_.fetch_add(1, std::memory_order_relaxed);
  }
  if (const int config_id = pinned(region_of(this_thread), key, this_thread.scope);
      config_id != LockInTable::none) {
    const UsePass* const pass = this_thread.use;
    return pass != nullptr && pass->watched() ? first_watched - config_id : config_id;
  }
  return look_up(*table_, key);
}

int KernelCore::pinned_by(const KernelPins& pins, std::uint32_t region, const Key& key,
                          std::uint64_t scope) const {
  return pins.config_of(*this, region, key, scope);
}

void KernelCore::unpin(std::uint32_t region, const Key& key, std::uint64_t scope) const {
  pins_.load(std::memory_order_acquire)->use_default(*this, region, key, scope);
}

std::string KernelCore::pinning_file(std::uint32_t region, const Key& key, std::uint64_t scope) const {
  const KernelPins* const pins = pins_.load(std::memory_order_acquire);
  const Pin* const pin = pins == nullptr ? nullptr : pins->find(region, key, key_text(key), scope);
  return pin == nullptr ? std::string() : pin->file;
}

void KernelCore::check_device() const {
  const DeviceCheck check = device_check_in_force.load(std::memory_order_acquire);
  if (check == nullptr) [[likely]] {
    return;
  }
  if (const std::string problem = check(); !problem.empty()) {
    throw InvalidArgument("tunable kernel \"" + traits_.name + "\" is not launched: " + problem);
  }
}

void KernelCore::check_unambiguous() const {
  if (ambiguous()) {
    throw InvalidArgument(
        "two living tunable kernels are named \"" + traits_.name +
        "\": give each a name of its own; logs, lock-ins and other ranks know a kernel by its name");
  }
}

void KernelCore::make_ready() const {
  std::call_once(ready_once_, [this] {
    try {
      if (traits_.name.empty()) {
        throw InvalidArgument(
            "a tunable kernel has an empty name: give it one, it identifies it in logs and on other ranks");
      }
      check_utf8(traits_.name, "name", traits_.name);
      check_utf8(traits_.name, "coupling", traits_.coupling);
      space_ = traits_.space();
    } catch (const ConfigSpaceError& error) {
      const ConfigSpaceError named("tunable kernel \"" + traits_.name + "\": " + error.what());
      space_error_ = std::make_exception_ptr(named);
      return;
    } catch (const std::bad_alloc&) {
      throw;  // it passes: the next use tries again
    } catch (...) {
      space_error_ = std::current_exception();
      return;
    }
    const std::string identity = code_identity();
    table_digest_ = StableHash().add(space_.digest).add(std::string_view(identity)).value();
    table_ = LaunchRegistry::instance().table_for(traits_.name, table_digest_);
    ready_.store(true, std::memory_order_release);
    LaunchRegistry::instance().publish(*this);
  });
  if (space_error_) {
    std::rethrow_exception(space_error_);
  }
}

const SpaceView& KernelCore::space() const {
  make_ready();
  return space_;
}

std::uint64_t KernelCore::table_digest() const {
  make_ready();
  return table_digest_;
}

std::string KernelCore::code_identity() const {
  const std::string of = traits_.version.empty() ? "module " + module_of(traits_.code).id : traits_.version;
  return traits_.source ? of + "\n" + traits_.source() : of;
}

std::string KernelCore::origin() const {
  if (!traits_.version.empty()) {
    return "version " + traits_.version;
  }
  const CodeModule module = module_of(traits_.code);
  return module.id.empty() ? "unknown" : module.name + " " + module.id.substr(0, 8);
}

std::shared_ptr<LockInTable> KernelCore::table() const {
  make_ready();
  return table_;
}

std::vector<std::string> KernelCore::load_failures() const {
  const std::lock_guard lock(load_mutex_);
  return load_failures_;
}

void KernelCore::load_first() const noexcept {
  if (!traits_.load) {
    return;
  }
  try {
    // A coupled kernel's partner launches the default, so it does as well.
    const std::size_t tried = traits_.coupling.empty() ? space().size : 1;
    std::vector<std::string> failures;
    for (std::size_t id = 0; id < tried; ++id) {
      try {
        traits_.load(id, nullptr);
        first_config_.store(id, std::memory_order_relaxed);
        const std::lock_guard lock(load_mutex_);
        load_failures_.clear();
        return;
      } catch (const std::exception& error) {
        failures.emplace_back(error.what());
      } catch (...) {
        failures.emplace_back("`load` threw an exception that is no std::exception");
      }
    }
    if (tried == space().size) {
      const std::lock_guard lock(load_mutex_);
      load_failures_ = std::move(failures);
    }
  } catch (...) {  // a bad config space: the first launch says so
  }
}

void KernelCore::set_fast_path(bool enabled) noexcept {
  const bool open = enabled && ready_.load(std::memory_order_acquire) && !ambiguous() &&
                    device_check_in_force.load(std::memory_order_acquire) == nullptr &&
                    pins_.load(std::memory_order_relaxed) == nullptr;
  fast_table_.store(open ? table_.get() : nullptr, std::memory_order_release);
}

std::string KernelCore::key_text(const Key& key) const {
  return key.to_string(traits_.key_names);
}

}  // namespace contextual::detail
