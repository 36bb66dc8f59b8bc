#include "search/made_up/models.hpp"
#include "search/quantile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace search_replay::made_up {
namespace {

/// Of all pairs of configs of two kernels, those with the first config of the first one in front; an entry is
/// empty where the pair is infeasible.
using Table = std::vector<std::optional<Times>>;

/// All values of some parameters, whose best levels are drawn, with a little of its own for each config.
Kernel make_grid(const std::string& name, double fastest, std::vector<Parameter> parameters,
                 RandomNumbers& random) {
  for (Parameter& parameter : parameters) {
    parameter.best_level = random.below(parameter.level_count);
  }
  Kernel kernel{name, {}};
  for (std::size_t index = 0; index < combinations(parameters); ++index) {
    KernelConfig config;
    config.alone_ns = fastest * (1 + random.exponential(0.02));
    set_levels(config, parameters, index);
    kernel.configs.push_back(std::move(config));
  }
  return kernel;
}

double least_of(const Table& table) {
  double least_ns = std::numeric_limits<double>::infinity();
  for (const std::optional<Times>& pair : table) {
    least_ns = pair ? std::min(least_ns, pair->makespan_ns) : least_ns;
  }
  return least_ns;
}

/// What lies within 1 % of the best pair becomes longer than that, but for `close` of them.
void thin_out(Table& table, std::size_t close, RandomNumbers& random) {
  const double best_ns = least_of(table);
  std::size_t left = close;
  for (std::optional<Times>& pair : table) {
    if (pair && pair->makespan_ns <= 1.01 * best_ns && pair->makespan_ns > best_ns && left-- == 0) {
      left = 0;
      pair->makespan_ns = best_ns * random.uniform(1.011, 1.03);
    }
  }
}

/// Two of the twenty best pairs become shorter than all others by `gap`; they differ by at most 0.5 %.
void set_two_apart(Table& table, double gap, RandomNumbers& random) {
  constexpr std::size_t candidates = 20;
  std::vector<Times*> pairs;
  for (std::optional<Times>& pair : table) {
    if (pair) {
      pairs.push_back(&*pair);
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Times* a, const Times* b) { return a->makespan_ns < b->makespan_ns; });
  const double best_ns = pairs.front()->makespan_ns / (1 + gap);
  const std::size_t first = random.below(candidates);
  const std::size_t second = (first + 1 + random.below(candidates - 1)) % candidates;
  pairs[first]->makespan_ns = best_ns;
  pairs[second]->makespan_ns = best_ns * (1 + random.uniform(0, 0.005));
}

std::unique_ptr<Model> model_of(Kernels kernels, Table table) {
  const double best_ns = least_of(table);
  const auto times = [table = std::move(table)](const Kernels& all, const Assignment& assignment) {
    return table.at(assignment.at(0) * all[1].configs.size() + assignment.at(1));
  };
  return std::make_unique<Model>(std::move(kernels), times, best_ns);
}

/// A transfer and a kernel that waits for its first part, with what each pair demands of the device.
struct Waiting {
  Kernels kernels;
  Table table;
  std::vector<double> demands;

  void fail_most_demanding(double share) {
    const double limit = quantile(demands, 1 - share);
    for (std::size_t pair = 0; pair < table.size(); ++pair) {
      if (demands[pair] > limit) {
        table[pair].reset();
      }
    }
  }
};

Waiting make_waiting(RandomNumbers& random) {
  const double scale_ns = random.log_uniform(100e3, 3e6);
  Kernels kernels{make_grid("all_gather", scale_ns * random.uniform(0.3, 1.1),
                            {{"METHOD", 2, 0.3}, {"CHUNKS", 4, 0.3}}, random),
                  make_grid("gemm", scale_ns * random.uniform(0.6, 1),
                            {{"BLOCK_N", 2, 0.15}, {"STAGES", 2, 0.1}, {"NUM_SMS", 7, 0.3}}, random)};
  Table table;
  std::vector<double> demands;
  for (const KernelConfig& transfer : kernels[0].configs) {
    const double demand = random.uniform();
    for (const KernelConfig& gemm : kernels[1].configs) {
      const double own[] = {transfer.alone_ns, gemm.alone_ns};
      // The kernel waits for the first part of the transfer, and disturbs it.
      const double beside_ns = std::max(own[0] * 1.05, own[1]) + 0.1 * own[0];
      table.push_back(Times{beside_ns * (1 + random.exponential(0.03)), {own[0], own[1]}});
      demands.push_back(demand + gemm.alone_ns / scale_ns * random.uniform(0, 0.3));
    }
  }
  return {std::move(kernels), std::move(table), std::move(demands)};
}

}  // namespace

std::unique_ptr<Model> make_two_best(RandomNumbers& random) {
  constexpr double share_infeasible = 84.0 / 224;
  Waiting pairs = make_waiting(random);
  pairs.demands.front() = *std::max_element(pairs.demands.begin(), pairs.demands.end()) + 1;  // the defaults
  pairs.fail_most_demanding(share_infeasible);
  set_two_apart(pairs.table, 0.04, random);
  return model_of(std::move(pairs.kernels), std::move(pairs.table));
}

std::unique_ptr<Model> make_close_pairs(RandomNumbers& random) {
  constexpr double share_infeasible = 0.4;
  constexpr double share_of_two_values = 0.2;
  Waiting pairs = make_waiting(random);
  pairs.fail_most_demanding(share_infeasible);
  Table& table = pairs.table;
  thin_out(table, random.below(2), random);
  for (std::optional<Times>& pair : table) {
    if (pair && random.uniform() < share_of_two_values) {
      pair->longer_by = random.uniform(0.01, 0.15);
      pair->longer_share = random.uniform(0.2, 0.8);
    }
  }
  return model_of(std::move(pairs.kernels), std::move(table));
}

std::unique_ptr<Model> make_racing_streams(RandomNumbers& random) {
  constexpr std::array sms{device_sms, 100, 66, 33};
  const double scale_ns = random.log_uniform(100e3, 1e6);
  const double scaling = random.uniform(0.3, 0.5);
  Kernels kernels;
  for (std::size_t k = 0; k < 2; ++k) {
    Kernel kernel{"kernel_" + std::to_string(k), {}};
    const double alone_ns = scale_ns * random.uniform(0.8, 1);
    for (const int count : sms) {
      KernelConfig config;
      config.sms = count;
      config.parameters.set("NUM_SMS", count);
      config.alone_ns = alone_ns * std::pow(static_cast<double>(device_sms) / count, scaling);
      kernel.configs.push_back(std::move(config));
    }
    kernels.push_back(std::move(kernel));
  }
  Table table;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    for (std::size_t j = 0; j < sms.size(); ++j) {
      const double own[] = {kernels[0].configs[i].alone_ns, kernels[1].configs[j].alone_ns};
      Times times{std::max(own[0], own[1]), {own[0], own[1]}};
      if (sms[i] + sms[j] > device_sms) {
        times.makespan_ns = own[0] + own[1];  // one after the other
        if (i + j > 0) {
          times.makespan_ns *= random.uniform(0.75, 0.95);  // they overlap in part
          times.longer_by = random.uniform(0.1, 0.6);
          times.longer_share = random.uniform(0.2, 0.8);
        }
      }
      table.emplace_back(std::move(times));
    }
  }
  return model_of(std::move(kernels), std::move(table));
}

}  // namespace search_replay::made_up
