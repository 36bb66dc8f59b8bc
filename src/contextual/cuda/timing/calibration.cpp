#include "contextual/cuda/timing/calibration.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/spin_kernel.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace contextual::cuda {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t runs = 15;
constexpr auto length = 5us;
/// Keeps the device busy while the host queues the others up.
constexpr auto lead_in = 300us;
constexpr std::size_t fewest = 5;
constexpr double ns_per_ms = 1e6;

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

enum class Method { cupti, events };

using Biases = std::map<std::pair<CUcontext, Method>, std::optional<std::int64_t>>;

std::mutex biases_mutex;  ///< of all methods' biases

/// Those that are known. Immortal.
Biases& known_biases() {
  static auto* const known = new Biases;
  return *known;
}

/// Of the current context. A failure, too, is remembered.
template <typename Measure>
std::optional<std::int64_t> remembered(Method method, const Measure& measure) {
  CUcontext context = nullptr;
  if (driver().cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) {
    return std::nullopt;
  }
  const std::lock_guard lock(biases_mutex);
  const auto [entry, fresh] = known_biases().try_emplace({context, method});
  if (fresh) {
    entry->second = bias_of(measure());
  }
  return entry->second;
}

/// Run 0 is the lead-in, and is not counted.
std::vector<TimedSpin> spins_by_cupti(CuptiSession& session) {
  SpinRuns spins(runs + 1);
  session.take();  // what was there before is not ours
  for (std::size_t i = 0; i <= runs; ++i) {
    CuptiSession::set_launch(static_cast<std::int64_t>(i));
    try {
      spins.launch(i, i == 0 ? lead_in : length);
    } catch (...) {
      CuptiSession::set_launch(-1);
      throw;
    }
    CuptiSession::set_launch(-1);
  }
  const std::vector<std::int64_t> own_ns = spins.wait();
  const CuptiSession::Taken taken = session.take();
  std::vector<TimedSpin> timed;
  for (const LaunchedCall& call : taken.calls) {
    for (const DeviceRecord& record : taken.records) {
      if (record.kernel && record.correlation == call.correlation && call.launch > 0) {
        timed.push_back({record.end_ns - record.begin_ns, own_ns.at(static_cast<std::size_t>(call.launch))});
      }
    }
  }
  return timed;
}

/// As many as it was made for, destroyed with it.
class EventPairs {
 public:
  EventPairs() {
    for (CUevent& event : events_) {
      CONTEXTUAL_CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
    }
  }
  EventPairs(const EventPairs&) = delete;
  EventPairs& operator=(const EventPairs&) = delete;
  ~EventPairs() {
    for (CUevent event : events_) {
      if (event != nullptr) {
        driver().cuEventDestroy(event);
      }
    }
  }
  CUevent begin(std::size_t pair) const { return events_[2 * pair]; }
  CUevent end(std::size_t pair) const { return events_[2 * pair + 1]; }

 private:
  std::array<CUevent, 2 * runs> events_{};
};

std::vector<TimedSpin> spins_by_events() {
  SpinRuns spins(runs + 1);
  const EventPairs pairs;
  spins.launch(runs, lead_in);
  for (std::size_t i = 0; i < runs; ++i) {
    CONTEXTUAL_CU(cuEventRecord(pairs.begin(i), spins.stream()));
    spins.launch(i, length);
    CONTEXTUAL_CU(cuEventRecord(pairs.end(i), spins.stream()));
  }
  const std::vector<std::int64_t> own_ns = spins.wait();
  std::vector<TimedSpin> timed;
  for (std::size_t i = 0; i < runs; ++i) {
    float elapsed_ms = 0;
    CONTEXTUAL_CU(cuEventElapsedTime(&elapsed_ms, pairs.begin(i), pairs.end(i)));
    timed.push_back({static_cast<std::int64_t>(static_cast<double>(elapsed_ms) * ns_per_ms), own_ns[i]});
  }
  return timed;
}

}  // namespace

std::optional<std::int64_t> bias_of(std::span<const TimedSpin> spins) {
  std::vector<std::int64_t> differences_ns;
  for (const TimedSpin& spin : spins) {
    if (spin.measured_ns > 0 && spin.own_ns > 0) {
      differences_ns.push_back(spin.measured_ns - spin.own_ns);
    }
  }
  if (differences_ns.size() < fewest) {
    return std::nullopt;
  }
  const std::int64_t middle = median(differences_ns);
  std::vector<std::int64_t> deviations_ns;
  deviations_ns.reserve(differences_ns.size());
  for (const std::int64_t difference : differences_ns) {
    deviations_ns.push_back(std::abs(difference - middle));
  }
  // Three standard deviations of a normal distribution are 4.4 median deviations; the clocks tick in steps of
  // up to a us, so less than that is never an outlier.
  const std::int64_t most = std::max<std::int64_t>(1000, median(deviations_ns) * 44 / 10);
  std::erase_if(differences_ns,
                [&](std::int64_t difference) { return std::abs(difference - middle) > most; });
  return differences_ns.size() < fewest ? std::nullopt : std::optional(median(differences_ns));
}

std::optional<std::int64_t> cupti_bias_ns(CuptiSession& session) noexcept {
  try {
    return remembered(Method::cupti, [&] { return spins_by_cupti(session); });
  } catch (...) {
    return std::nullopt;  // no reason not to tune
  }
}

std::optional<std::int64_t> event_bias_ns() noexcept {
  try {
    return remembered(Method::events, [] { return spins_by_events(); });
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace contextual::cuda
