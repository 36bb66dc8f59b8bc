#include "contextual/launch/made_ready.hpp"

#include "contextual/launch/exception_text.hpp"

#include <contextual/error.hpp>

#include <exception>
#include <utility>

namespace contextual::detail {

/// While it lives, this config is being made ready.
class MadeReady::Now {
 public:
  Now(MadeReady& made_ready, CurrentLaunch config) : made_ready_(made_ready) { set(std::move(config)); }
  Now(const Now&) = delete;
  Now& operator=(const Now&) = delete;
  ~Now() { set(std::nullopt); }

 private:
  void set(std::optional<CurrentLaunch> config) {
    const std::lock_guard lock(made_ready_.mutex_);
    made_ready_.config_ = std::move(config);
  }

  MadeReady& made_ready_;
};

void MadeReady::load_first(const KernelCore& kernel) {
  if (!kernel.traits().load) {
    return;
  }
  CurrentLaunch first{kernel.traits().name, "", 0, {}};
  try {
    first.config = kernel.space().configs.front();
  } catch (...) {  // a bad config space: the first launch says so
    return;
  }
  const Now now(*this, std::move(first));
  kernel.load_first();
}

std::string MadeReady::load(const KernelCore& kernel, std::size_t config_id, const Key* key,
                            const std::string& key_text) {
  if (!kernel.traits().load) {
    return {};
  }
  const Now now(*this, {kernel.traits().name, key_text, config_id, kernel.space().configs.at(config_id)});
  try {
    kernel.traits().load(config_id, key);
    return {};
  } catch (const DeviceError&) {
    throw;
  } catch (...) {
    return exception_text(std::current_exception());
  }
}

}  // namespace contextual::detail
