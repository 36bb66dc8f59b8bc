#include "contextual/launch/launch_call.hpp"

#include "contextual/launch/exception_text.hpp"
#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/run_context.hpp"

#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace contextual::detail {
namespace {

std::string config_text(const KernelCore& core, std::size_t config_id) {
  return core.space().configs[config_id].to_string();
}

/// An exception of the user's own code. Those of the library say what no other config would mend: the device
/// or the ranks are lost, or an argument makes no sense.
bool is_ordinary(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error&) {
    return false;
  } catch (const std::exception&) {
    return true;
  } catch (...) {  // also what ends a thread
    return false;
  }
}

}  // namespace

[[gnu::hot]] LaunchCall::LaunchCall(const ErasedEngine& engine, const Key& key, const ErasedLaunch& launch)
    : log_(*thread_state().log), arguments_{&engine, launch.arguments}, core_(engine.core()), key_(key) {
  const RunContext& run = *log_.run;
  info_.region = run.region();
  info_.kernel = core_.traits().name;
  info_.key = &key_;
  info_.tuning_iteration = run.tuning_iteration;
  info_.stream = launch.stream;
  info_.on_stream = engine.takes_stream();
  if (launch.stream != nullptr && log_.run->timer().captures(info_)) [[unlikely]] {
    use_without_tuning();
    return;
  }
  use_planned();
  if (engine.asks_keep() && !fallback_ && !arguments_.keep(info_.config_id)) [[unlikely]] {
    leave_refused();
  }
}

[[gnu::hot]] void LaunchCall::use_planned() {
  RunContext& run = *log_.run;
  slot_ = run.find(core_, key_, arguments_);
  if ((log_.current.load(std::memory_order_relaxed) & launch_under_way) != 0) [[unlikely]] {
    run.note_inner_launch(log_, core_);
  }
  if (slot_ == nullptr) [[unlikely]] {
    return;
  }
  if (!slot_->joined()) [[unlikely]] {
    use_first();
  } else {
    const policy::Cell& cell = slot_->batch.cells[run.batch_iteration];
    info_.config_id = cell.config_id;
    info_.warmup = cell.warmup;
    if (cell.config_id != 0 && slot_->batch.lacks_preparation(cell.config_id)) [[unlikely]] {
      info_.config_id = 0;
      info_.warmup = false;
      late_ = true;
      run.note_untuned_launch();
    }
  }
  if (slot_->problem.coupling.empty() &&
      slot_->launched.rejected[info_.config_id].load(std::memory_order_acquire)) [[unlikely]] {
    next_fallback();
  }
}

/// Of a captured launch, which takes place where the graph is replayed: neither tuned nor timed.
[[gnu::cold]] void LaunchCall::use_without_tuning() {
  const std::uint64_t scope = thread_state().scope;
  const int pinned = core_.pinned(log_.run->region_id(), key_, scope);
  const int locked =
      pinned != LockInTable::none ? pinned : core_.table()->find(log_.run->region_id(), key_, scope);
  info_.config_id = locked == LockInTable::none ? core_.first_config() : static_cast<std::size_t>(locked);
  if (!arguments_.keep(info_.config_id)) {
    if (locked != LockInTable::none) {
      static_cast<void>(replace_refused(core_, key_, info_.config_id));
    }
    info_.config_id = 0;
    if (!arguments_.keep(0)) {
      tell_of_refused_default();
    }
  }
  captured_ = true;
}

/// Of a problem that the ranks have not agreed on yet.
[[gnu::cold]] void LaunchCall::use_first() {
  const RunContext::FirstChoice first = log_.run->first_choice(*slot_, core_.first_config());
  info_.config_id = first.config_id;
  info_.warmup = !first.of_earlier_run;
}

/// `keep` does not allow the config for the arguments of this launch, for which another one is right; the
/// ranks agree that it is no candidate of the problem. A default is launched all the same.
[[gnu::cold]] void LaunchCall::leave_refused() {
  const bool is_default = info_.config_id == 0;
  if (is_default) {
    tell_of_refused_default();
    if (slot_ == nullptr || !slot_->joined() || slot_->found.left_out[0]) {
      return;  // it is not tuned, or the ranks know, or learn it when the problem joins
    }
  }
  core_.table()->note_refused(log_.run->region_id(), key_, slot_->problem.scope,
                              static_cast<int>(info_.config_id));
  if (!is_default) {
    reject(refused_text);
    return;
  }
  fallback_ = true;
  const std::lock_guard lock(slot_->launched.mutex);
  std::vector<LocalRejection>& known = slot_->launched.rejections;
  if (std::none_of(known.begin(), known.end(), [](const LocalRejection& other) { return other.left_out; })) {
    known.push_back({0, log_.run->batch_iteration, refused_text, false, true});
  }
}

[[gnu::cold]] void LaunchCall::tell_of_refused_default() const {
  if (slot_ == nullptr || !slot_->launched.told_of_default.exchange(true, std::memory_order_relaxed)) {
    log_.run->say(refused_default_text(core_, key_text()));
  }
}

bool LaunchCall::config_changed() noexcept {
  if (slot_ == nullptr) {
    return false;
  }
  const auto now = static_cast<std::int64_t>(info_.config_id);
  return slot_->launched.last_config.exchange(now, std::memory_order_relaxed) != now;
}

bool LaunchCall::wants_work() const noexcept {
  if (slot_ == nullptr) {
    return false;
  }
  const std::int64_t first = slot_->launched.work_iteration.load(std::memory_order_relaxed);
  return first == LaunchWrites::no_iteration || first == info_.tuning_iteration;
}

[[gnu::cold]] void LaunchCall::add_work(const KernelWork& work) {
  LaunchWrites& written = slot_->launched;
  const std::lock_guard lock(written.mutex);
  std::int64_t first = LaunchWrites::no_iteration;
  written.work_iteration.compare_exchange_strong(first, info_.tuning_iteration, std::memory_order_relaxed);
  if (first != LaunchWrites::no_iteration && first != info_.tuning_iteration) {
    return;
  }
  const KernelWork sum{written.work.flops + work.flops, written.work.bytes + work.bytes};
  if (!(work.flops >= 0 && work.bytes >= 0) || !std::isfinite(sum.flops) || !std::isfinite(sum.bytes)) {
    throw InvalidArgument("kernel \"" + core_.traits().name + "\": `work` returned " +
                          std::to_string(work.flops) + " operations and " + std::to_string(work.bytes) +
                          " bytes: neither may be negative or infinite");
  }
  written.work = sum;
}

[[gnu::hot]] void LaunchCall::start() noexcept {
  // Before it has joined, a function is not known to launch kernels.
  const bool launches_others =
      core_.traits().choice_point || (slot_ != nullptr && slot_->joined() && slot_->problem.choice_point);
  if (captured_ || launches_others) [[unlikely]] {
    return;  // a timer's events would become part of the graph; what an alternative launches has its own
             // times
  }
  under_way_ = true;
  current_ = slot_ == nullptr ? 0 : ((slot_->index + 1) << 32) | (info_.config_id << 1);
  log_.current.store(current_ | detail::launch_under_way, std::memory_order_release);
  log_.run->timer().begin_launch(info_, note_);
}

[[gnu::hot]] void LaunchCall::stop() noexcept {
  if (!under_way_) [[unlikely]] {
    return;
  }
  under_way_ = false;
  log_.run->timer().end_launch(info_, note_);
  log_.current.store(current_, std::memory_order_release);
}

std::string LaunchCall::key_text() const {
  return slot_ == nullptr ? core_.key_text(key_) : slot_->problem.key_text;
}

void LaunchCall::note_rejection(const std::string& reason, bool of_assignment) {
  if (slot_ == nullptr) {
    throw Error("region \"" + std::string(info_.region) + "\": kernel \"" + core_.traits().name + "\", key " +
                key_text() + ": config-" + std::to_string(info_.config_id) + " failed: " + reason);
  }
  const std::lock_guard lock(slot_->launched.mutex);
  slot_->launched.rejected[info_.config_id].store(true, std::memory_order_release);
  slot_->launched.rejections.push_back({info_.config_id, log_.run->batch_iteration, reason, of_assignment});
}

void LaunchCall::launcher_threw(const std::exception_ptr& thrown) const {
  if (!thrown) {
    return;
  }
  const bool replaceable = slot_ != nullptr && info_.config_id != 0 && slot_->problem.coupling.empty();
  if (replaceable && log_.run->is_out_of_memory(thrown)) {
    throw ConfigRejected("out of memory: " + exception_text(thrown));
  }
  if (replaceable && (core_.traits().function || log_.run->rules().exceptions_reject) &&
      is_ordinary(thrown) && log_.run->launch_that_threw(thrown).empty()) {
    throw ConfigRejected(exception_text(thrown));
  }
  try {
    log_.run->note_launcher_threw(thrown, "kernel \"" + core_.traits().name + "\", key " + key_text() +
                                              ", config-" + std::to_string(info_.config_id) + " " +
                                              config_text(core_, info_.config_id));
  } catch (const std::bad_alloc&) {  // what was thrown says more
  }
}

void LaunchCall::reject(const std::string& reason) {
  stop();
  note_rejection(reason, false);
  if (!slot_->found.pinned_by.empty() && slot_->found.locked_config == info_.config_id) {
    fail(pinned_failure_text(slot_->found.pinned_by, core_, key_text(), info_.config_id, reason));
  }
  if (!slot_->problem.coupling.empty()) {
    fail("region \"" + std::string(info_.region) + "\": coupled kernel \"" + core_.traits().name +
         "\", key " + slot_->problem.key_text + ", config-" + std::to_string(info_.config_id) + " " +
         config_text(core_, info_.config_id) + " failed to launch: " + reason +
         ". A fallback would not match what it is coupled to; leave the config out with `keep` or `load`");
  }
  const std::size_t rejected = info_.config_id;
  if (next_fallback()) {
    if (!core_.traits().takes_stream) {  // what a stream gets wrong blocks, and the watchdog names it
      log_.run->tell_of_fallback(core_.traits().name,
                                 "key " + key_text() + ": config-" + std::to_string(rejected) + " " +
                                     config_text(core_, rejected) + " was rejected (" + reason +
                                     "), and config-" + std::to_string(info_.config_id) +
                                     " is launched in its place");
    }
    return;
  }
  std::vector<Rejection> rejections;
  {  // for no longer: what fails the run takes its lock, which comes before the problem's
    const std::lock_guard lock(slot_->launched.mutex);
    // Where nothing could be loaded the reasons of the others are known as well.
    const std::vector<std::string> failures = core_.load_failures();
    for (std::size_t id = 0; id < failures.size(); ++id) {
      if (!slot_->launched.rejected[id].exchange(true, std::memory_order_acq_rel)) {
        slot_->launched.rejections.push_back({id, log_.run->batch_iteration, failures[id], false});
      }
    }
    for (const LocalRejection& rejection : slot_->launched.rejections) {
      rejections.push_back({rejection.config_id, config_text(core_, rejection.config_id), rejection.reason});
    }
  }
  if (slot_->found.needs_loading && rejections.size() < slot_->problem.config_count && !slot_->joined()) {
    fail("region \"" + std::string(info_.region) + "\": kernel \"" + core_.traits().name + "\", key " +
         slot_->problem.key_text + ": its first launch failed: " + reason +
         ". Its other configs need `load`, which cannot happen inside a region: make the default "
         "launchable");
  }
  throw TuningFailedError(std::string(info_.region), slot_->problem.name, slot_->problem.key_text,
                          std::move(rejections));
}

void LaunchCall::fail(const std::string& cause) {
  const auto failure = std::make_exception_ptr(Error(cause));
  log_.run->fail(failure);
  std::rethrow_exception(failure);
}

void LaunchCall::found_before(const std::string& what) noexcept {
  try {
    log_.run->note("an error was pending before a launch of kernel \"" + core_.traits().name +
                   "\", which is not blamed for it: " + what);
  } catch (...) {  // no memory for the words
  }
}

void LaunchCall::device_failed(const std::string& reason) {
  stop();
  const std::vector<DeviceError::Suspect> suspects = log_.run->suspects(&log_);
  const auto failure = std::make_exception_ptr(DeviceError(
      "region \"" + std::string(info_.region) + "\", tuning iteration " +
          std::to_string(info_.tuning_iteration) + ": the device does not work for this process: " + reason +
          ". Noticed by the launch of kernel \"" + core_.traits().name + "\", key " + key_text() +
          ", config-" + std::to_string(info_.config_id) + " " + config_text(core_, info_.config_id) + ". " +
          suspects_text(suspects),
      suspects));
  log_.run->fail(failure);
  std::rethrow_exception(failure);
}

bool LaunchCall::reject_result(const std::string& reason, bool can_repeat) {
  note_rejection(reason, log_.run->rules().search != SearchLevel::off && slot_ != nullptr);
  return can_repeat && slot_->problem.coupling.empty() && next_fallback();
}

bool LaunchCall::next_fallback() {
  const auto usable = [this](std::size_t id) {
    return !slot_->launched.rejected[id].load(std::memory_order_acquire);
  };
  const auto take = [this](std::size_t id) {
    info_.config_id = id;
    info_.warmup = false;
    fallback_ = true;
    return true;
  };
  if (slot_->batch.best_so_far && usable(*slot_->batch.best_so_far) &&
      arguments_.keep(*slot_->batch.best_so_far)) {
    return take(*slot_->batch.best_so_far);
  }
  if (usable(0)) {
    if (!arguments_.keep(0)) {
      tell_of_refused_default();
    }
    return take(0);
  }
  for (std::size_t id = 1; id < slot_->problem.config_count; ++id) {
    // What needs preparing cannot be prepared here: nothing may be loaded inside the region.
    const bool launchable =
        slot_->joined() ? !slot_->batch.lacks_preparation(id) : !slot_->found.needs_loading;
    const bool left_out = slot_->joined() && slot_->found.left_out[id];  // before, other launches write it
    if (launchable && usable(id) && !left_out && arguments_.keep(id)) {
      return take(id);
    }
  }
  return false;
}

std::size_t launches_of_thread() noexcept {
  const ThreadLog* log = thread_state().log;
  return log == nullptr ? 0 : log->records.size();
}

[[gnu::hot]] void LaunchCall::finish() noexcept {
  stop();
  if (slot_ == nullptr) [[unlikely]] {
    return;
  }
  log_.records.push_back({slot_, static_cast<std::uint32_t>(info_.config_id), log_.run->batch_iteration,
                          fallback_, late_, note_});
}

}  // namespace contextual::detail
