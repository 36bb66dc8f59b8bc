#pragma once

/// \file
/// The region of `exchange_traffic`, and what can happen in it.

#include "simulated_kernels.hpp"

#include <contextual/error.hpp>
#include <contextual/kernel.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace traffic {

using contextual::Config;
using Kernel = contextual::TunableKernel<void(const Config&, int rank, int key)>;

constexpr int kernel_count = 4;
constexpr std::size_t config_count = 8;

/// What happens in the run.
enum class Case {
  good,           ///< nothing special
  load,           ///< the same, of kernels with `load`
  rejection,      ///< one config fails on the last rank
  some,           ///< the ranks launch one of four further kernels each, declared `some`
  own_keys,       ///< every rank launches a kernel declared `some` with a key that no other rank has
  throws,         ///< the region throws on the last rank in its first run
  mismatch,       ///< the last rank launches one kernel more in its first run
  late_mismatch,  ///< the same in every run, from the second batch on
};

inline const char* name_of(Case c) {
  switch (c) {
    case Case::good:
      return "good";
    case Case::load:
      return "good, with load";
    case Case::rejection:
      return "a config fails on one rank";
    case Case::some:
      return "ranks launch different kernels";
    case Case::own_keys:
      return "ranks have keys of their own";
    case Case::throws:
      return "region throws on one rank";
    case Case::mismatch:
      return "mismatch in the first batch";
    case Case::late_mismatch:
      return "mismatch in a later batch";
  }
  return "";
}

inline bool ends_well(Case c) {
  return c != Case::throws && c != Case::mismatch && c != Case::late_mismatch;
}

/// A region's kernels, shared by the ranks, which are threads.
class Region {
 public:
  Region(Case what, int ranks) : case_(what), last_(ranks - 1) {
    for (int i = 0; i < kernel_count; ++i) {
      kernels_.push_back(make("kernel-" + std::to_string(i), contextual::Participation::all));
    }
    for (int i = 0; i < kernel_count; ++i) {
      some_.push_back(make("some-" + std::to_string(i), contextual::Participation::some));
    }
  }

  /// One run on one rank; `run` counts them from 0.
  void operator()(int rank, std::int64_t run) {
    for (const auto& kernel : kernels_) {
      (*kernel)(rank, 0);
    }
    if (case_ == Case::some) {
      (*some_[static_cast<std::size_t>(rank % kernel_count)])(rank, 0);
    }
    if (case_ == Case::own_keys) {
      (*some_[0])(rank, rank);
    }
    if (rank == last_) {
      if (case_ == Case::throws) {
        throw std::runtime_error("the input has no such shard");
      }
      if (case_ == Case::mismatch || (case_ == Case::late_mismatch && run > 0)) {
        (*kernels_[0])(rank, 0);
      }
    }
  }

 private:
  std::unique_ptr<Kernel> make(const std::string& name, contextual::Participation participation) {
    Kernel::Options options{.participation = participation};
    if (case_ == Case::load) {
      options.load = [](const Config&) {};
    }
    const bool fails = case_ == Case::rejection && name == "kernel-1";
    return std::make_unique<Kernel>(
        name, contextual::benchmarks::numbered_configs(config_count),
        [](int, int key) { return contextual::make_key(key); },
        [fails, last = last_](const Config& config, int rank, int) {
          if (fails && rank == last && config.get<int>("V") == 3) {
            throw contextual::ConfigRejected("too much shared memory: 233472 bytes");
          }
        },
        std::move(options));
  }

  Case case_;
  int last_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<std::unique_ptr<Kernel>> some_;
};

}  // namespace traffic
