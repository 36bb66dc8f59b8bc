#include "search/made_up/pair_table_model.hpp"

#include "search/quantile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace search_replay::made_up {
namespace {

using Table = std::vector<std::vector<std::optional<Times>>>;

struct Parameter {
  std::string name;
  std::size_t level_count;
  double strength;  ///< the relative time that the worst level adds
};

/// All values of some parameters, each of which has one best level, with a little of its own for each config.
Kernel make_grid(const std::string& name, double fastest, const std::vector<Parameter>& parameters,
                 RandomNumbers& random) {
  std::vector<std::size_t> best_levels;
  std::size_t count = 1;
  for (const Parameter& parameter : parameters) {
    best_levels.push_back(random.below(parameter.level_count));
    count *= parameter.level_count;
  }
  Kernel kernel{name, {}};
  for (std::size_t index = 0; index < count; ++index) {
    KernelConfig config;
    config.alone_ns = fastest * (1 + random.exponential(0.02));
    std::size_t digits = index;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const std::size_t level = digits % parameters[p].level_count;
      digits /= parameters[p].level_count;
      config.parameters.set(parameters[p].name, static_cast<std::int64_t>(level));
      const auto distance =
          static_cast<double>(std::max(level, best_levels[p]) - std::min(level, best_levels[p]));
      config.alone_ns *=
          1 + parameters[p].strength * distance / static_cast<double>(parameters[p].level_count - 1);
    }
    kernel.configs.push_back(std::move(config));
  }
  return kernel;
}

template <typename Visit>
void for_each_pair(Table& table, const Visit& visit) {
  for (std::vector<std::optional<Times>>& row : table) {
    for (std::optional<Times>& pair : row) {
      if (pair) {
        visit(pair);
      }
    }
  }
}

double least_of(const Table& table) {
  double least_ns = std::numeric_limits<double>::infinity();
  for (const std::vector<std::optional<Times>>& row : table) {
    for (const std::optional<Times>& pair : row) {
      least_ns = pair ? std::min(least_ns, pair->makespan_ns) : least_ns;
    }
  }
  return least_ns;
}

/// What lies within 1 % of the best pair becomes longer than that, but for `close` of them.
void thin_out(Table& table, std::size_t close, RandomNumbers& random) {
  const double best_ns = least_of(table);
  std::size_t left = close;
  for_each_pair(table, [&](std::optional<Times>& pair) {
    if (pair->makespan_ns <= 1.01 * best_ns && pair->makespan_ns > best_ns && left-- == 0) {
      left = 0;
      pair->makespan_ns = best_ns * random.uniform(1.011, 1.03);
    }
  });
}

}  // namespace

PairTableModel::PairTableModel(std::vector<Kernel> kernels, Table table)
    : Model(std::move(kernels)), table_(std::move(table)) {}

std::optional<Times> PairTableModel::times(const Assignment& assignment) const {
  return table_.at(assignment.at(0)).at(assignment.at(1));
}

double PairTableModel::best_ns() const {
  return least_of(table_);
}

std::unique_ptr<Model> make_close_pairs(RandomNumbers& random) {
  constexpr double share_infeasible = 0.4;
  constexpr double share_of_two_values = 0.2;
  const double scale_ns = random.log_uniform(100e3, 3e6);
  std::vector<Kernel> kernels{
      make_grid("all_gather", scale_ns * random.uniform(0.3, 1.1), {{"METHOD", 2, 0.3}, {"CHUNKS", 4, 0.3}},
                random),
      make_grid("gemm", scale_ns * random.uniform(0.6, 1),
                {{"BLOCK_N", 2, 0.15}, {"STAGES", 2, 0.1}, {"NUM_SMS", 7, 0.3}}, random)};
  const std::vector<KernelConfig>& transfers = kernels[0].configs;
  const std::vector<KernelConfig>& gemms = kernels[1].configs;
  Table table(transfers.size());
  std::vector<std::vector<double>> demands(transfers.size());
  std::vector<double> all_demands;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double demand = random.uniform();
    for (std::size_t j = 0; j < gemms.size(); ++j) {
      const double own[] = {transfers[i].alone_ns, gemms[j].alone_ns};
      // The kernel waits for the first part of the transfer, and disturbs it.
      const double beside_ns = std::max(own[0] * 1.05, own[1]) + 0.1 * own[0];
      table[i].push_back(Times{beside_ns * (1 + random.exponential(0.03)), {own[0], own[1]}});
      demands[i].push_back(demand + gemms[j].alone_ns / scale_ns * random.uniform(0, 0.3));
      all_demands.push_back(demands[i].back());
    }
  }
  const double limit = quantile(all_demands, 1 - share_infeasible);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    for (std::size_t j = 0; j < gemms.size(); ++j) {
      if (demands[i][j] > limit) {
        table[i][j].reset();
      }
    }
  }
  thin_out(table, random.below(2), random);
  for_each_pair(table, [&](std::optional<Times>& pair) {
    if (random.uniform() < share_of_two_values) {
      pair->longer_by = random.uniform(0.01, 0.15);
      pair->longer_share = random.uniform(0.2, 0.8);
    }
  });
  return std::make_unique<PairTableModel>(std::move(kernels), std::move(table));
}

std::unique_ptr<Model> make_racing_streams(RandomNumbers& random) {
  constexpr std::array sms{device_sms, 100, 66, 33};
  const double scale_ns = random.log_uniform(100e3, 1e6);
  const double scaling = random.uniform(0.3, 0.5);
  std::vector<Kernel> kernels;
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
  Table table(sms.size());
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
      table[i].emplace_back(std::move(times));
    }
  }
  return std::make_unique<PairTableModel>(std::move(kernels), std::move(table));
}

}  // namespace search_replay::made_up
