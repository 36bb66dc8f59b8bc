#pragma once

/// \file
/// Several ways to do one thing, each tuned, and timed in turn.

#include "cuda_common.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/communicator.hpp>
#include <contextual/deadline.hpp>
#include <contextual/tuned_region.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace contextual::benchmarks {

/// m, n and k of a product, from MxNxK. Throws std::runtime_error.
struct ProductShape {
  int m = 0;
  int n = 0;
  int k = 0;

  static constexpr const char* form = "MxNxK";
  explicit ProductShape(const std::string& text) {
    char end = 0;
    if (std::sscanf(text.c_str(), "%dx%dx%d%c", &m, &n, &k, &end) != 3) {
      throw std::runtime_error(std::string("a shape is ") + form + ", not '" + text + "'");
    }
  }
};

/// What the command line says.
struct TurnSettings {
  std::vector<std::string> shapes;
  int rounds = 21;
  int launches = 5;
};

/// Adds `--rounds` and `--launches`.
inline void add_turn_options(CLI::App& app, TurnSettings& settings) {
  app.add_option("--rounds", settings.rounds, "turns of each")->check(CLI::PositiveNumber);
  app.add_option("--launches", settings.launches, "launches a turn")->check(CLI::PositiveNumber);
}

/// Parses the command line, and calls `compare` for each shape. Returns the program's exit code, as
/// `run_on_gpu`.
template <typename Shape = ProductShape, typename Compare>
int compare_shapes(int argc, char** argv, const std::string& what, TurnSettings settings,
                   const Compare& compare) {
  BenchmarkApp app{what};
  app.add_option("--shapes", settings.shapes, std::string(Shape::form) + ", ...")->delimiter(',');
  add_turn_options(app, settings);
  return run_on_gpu(app, argc, argv, [&] {
    for (const std::string& shape : settings.shapes) {
      compare(Shape(shape), settings);
    }
    return 0;
  });
}

/// The choice of the alternatives whose kernels' names end in this falls on one way.
inline Options only(const std::string& names_end, const std::string& way) {
  Options options;
  options.feasible = [names_end, way](std::span<const AssignedConfig> configs) {
    return std::all_of(configs.begin(), configs.end(), [&](const AssignedConfig& config) {
      return !config.kernel.ends_with(names_end) || config.config == nullptr ||
             config.config->get<std::string>("alternative") == way;
    });
  };
  return options;
}

/// The ways, of which the last one is what the others are compared with.
class Turns {
 public:
  /// With a communicator all ranks take the same turns, the slowest of them counts, and rank 0 prints.
  explicit Turns(const Stream& stream, std::shared_ptr<Communicator> communicator = nullptr)
      : stream_(stream), communicator_(std::move(communicator)) {}

  /// A way that is not tuned.
  void add(const std::string& name, const std::function<void()>& launch) { sides_.push_back({name, launch}); }
  /// Tunes what the way launches, under these options, and prints what was chosen.
  void tune(const std::string& name, const std::function<void()>& launch, const Options& options = {}) {
    auto region = std::make_shared<TunedRegion<std::function<void()>>>(tuner_, name, launch, options);
    (*region)();
    if (prints()) {
      const Report report = tuner_.report();
      std::printf("%s\n", report.find(name)->choices_text().c_str());
    }
    sides_.push_back({name, [region] { (*region)(); }});
  }

  Report report() const { return tuner_.report(); }  ///< of the tunings

  /// Times all ways in turn, a turn being several launches back to back, the first round unmeasured, and
  /// prints medians: the time, and the ratio to the last way in the same round. Returns these ratios.
  std::vector<double> run(int rounds, int launches) const {
    const Stopwatch stopwatch(stream_);
    const auto us = samples_in_turn(rounds, sides_.size(), [&](std::size_t i) {
      stream_.wait();
      over_ranks(0);  // they begin together
      return over_ranks(stopwatch.us_per_launch(launches, sides_[i].launch));
    });
    std::vector<double> over_last;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      over_last.push_back(median(ratios(us[i], us.back())));
      if (prints()) {
        std::printf("  %-36s %9.1f us  %6.3f\n", sides_[i].name.c_str(), median(us[i]), over_last.back());
      }
    }
    std::fflush(stdout);
    return over_last;
  }

 private:
  struct Side {
    std::string name;
    std::function<void()> launch;
  };

  bool prints() const { return communicator_ == nullptr || communicator_->rank() == 0; }
  /// The largest of the ranks' times.
  double over_ranks(double us) const {
    if (communicator_ == nullptr) {
      return us;
    }
    std::array<std::int64_t, 1> ns{std::llround(us * 1000)};
    communicator_->all_reduce_max(ns, Deadline::after(std::chrono::seconds(20)));
    return static_cast<double>(ns[0]) / 1000;
  }

  const Stream& stream_;
  std::shared_ptr<Communicator> communicator_;
  ContextualAutotuner tuner_{{.log_directory = "", .communicator = communicator_, .timer = cuda_timer}};
  std::vector<Side> sides_;
};

}  // namespace contextual::benchmarks
