#include <contextual/detail/measure/bench_devices.hpp>
#include <contextual/detail/measure/cache_clearing.hpp>
#include <contextual/detail/measure/work_gathering.hpp>

#include <atomic>

namespace contextual::detail {
namespace {

constinit std::atomic<const BenchDevices*> devices_in_force{nullptr};

}  // namespace

CacheClearing::~CacheClearing() = default;
WorkGathering::~WorkGathering() = default;

void set_bench_devices(const BenchDevices* devices) noexcept {
  devices_in_force.store(devices);
}

const BenchDevices* bench_devices() noexcept {
  return devices_in_force.load();
}

}  // namespace contextual::detail
