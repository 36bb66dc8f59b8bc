#pragma once

/// \file
/// What the tests of the engine share: small config spaces, times that no clock makes, error texts. Who
/// includes this need include no public header that needs only the standard library.

#include "support/catch.hpp"
#include "support/report_of.hpp"

#include <contextual/contextual.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace contextual::test {

struct Block {
  int block = 0;  ///< equals the config id in the spaces of `blocks`
};

/// A space of `count` configs.
inline ConfigSpace<Block> blocks(int count) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(i);
  }
  return {{"BLOCK", &Block::block, values}};
}

/// Every config is faster than the one before it: the last one wins.
inline TimerFactory last_is_fastest() {
  return testing::scripted_timer(
      [](const LaunchInfo& launch) { return 100'000 - 1'000 * static_cast<std::int64_t>(launch.config_id); });
}

inline TimerFactory times(std::function<std::int64_t(const LaunchInfo&)> model) {
  return testing::scripted_timer(std::move(model));
}

/// One warm-up and one repeat a config, the documented table and nothing else, no log.
inline Options quick(TimerFactory timer = last_is_fastest()) {
  return {.n_warmup = 1,
          .n_repeat = 1,
          .search = SearchLevel::off,
          .log_directory = "",
          .timer = std::move(timer)};
}

/// Tunes a region by a tuner of its own, and returns what is reported of it.
inline RegionReport tuned(const Options& options, const std::string& region,
                          const std::function<void()>& body) {
  ContextualAutotuner tuner(options);
  tuner.run(region, body);
  return report_of(tuner, region);
}

inline RegionReport tuned(const std::string& region, const std::function<void()>& body) {
  return tuned(quick(), region, body);
}

/// The problem of a kernel. Fails the test when there is none.
inline const ProblemReport& of_kernel(const RegionReport& report, std::string_view kernel,
                                      std::string_view key = {}) {
  for (const ProblemReport& problem : report.problems) {
    if (problem.kernel == kernel && (key.empty() || problem.key == key)) {
      return problem;
    }
  }
  FAIL("no problem of kernel " << kernel << " in region " << report.region);
  throw std::logic_error("a failed test goes on");
}

/// What the problem of a kernel came to in the latest run of a region. Fails the test when there is none.
inline ProblemReport problem_of(const ContextualAutotuner& tuner, std::string_view region,
                                std::string_view kernel, std::string_view key = {}) {
  return of_kernel(report_of(tuner, region), kernel, key);
}

/// A kernel of `count` configs, and a tuner with a region of the same name that launches it.
struct OneKernel {
  using Kernel = TunableKernel<int(const Block&)>;

  explicit OneKernel(const std::string& its_name, int count = 3, Kernel::Options of_kernel = {},
                     Options options = quick())
      : name(its_name),
        kernel(
            name, blocks(count), single_problem,
            [this](const Block& block) {
              in_launch(block);
              used.push_back(block.block);
              return block.block;
            },
            std::move(of_kernel)),
        tuner(std::move(options)) {}
  OneKernel(const OneKernel&) = delete;
  OneKernel& operator=(const OneKernel&) = delete;
  ~OneKernel() = default;

  /// The region. Its value is the config that was launched.
  int region() {
    ++runs;
    return kernel();
  }
  int run(const Options& call = {}) {
    return tuner.run(
        name, [this] { return region(); }, call);
  }
  /// What the latest run came to.
  ProblemReport problem() const { return problem_of(tuner, name, name); }
  RegionReport report() const { return report_of(tuner, name); }

  std::string name;
  std::function<void(const Block&)> in_launch = [](const Block&) {};  ///< may reject
  std::vector<int> used;                                              ///< by launches that were not rejected
  int runs = 0;                                                       ///< of the region
  Kernel kernel;
  ContextualAutotuner tuner;
};

/// For `in_launch` or `load`: rejects that config.
inline auto refuse_block(int refused, const std::string& why) {
  return [=](const Block& block) {
    if (block.block == refused) {
      throw ConfigRejected(why);
    }
  };
}

/// Tunes a kernel of `count` configs by itself.
inline ProblemReport tune_alone(
    const std::string& name, int count, Options options = quick(),
    std::function<void(const Block&)> in_launch = [](const Block&) {}) {
  OneKernel one(name, count, {}, std::move(options));
  one.in_launch = std::move(in_launch);
  one.run();
  return one.problem();
}

/// An empty directory, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    static std::atomic<int> next{0};
    path_ = std::filesystem::temp_directory_path() / ("contextual-engine-test-" + std::to_string(::getpid()) +
                                                      "-" + std::to_string(next.fetch_add(1)));
    std::filesystem::create_directories(path_);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::size_t count_of(const std::string& text, const std::string& wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace contextual::test
