#include "search/made_up/models.hpp"

#include <utility>

namespace search_replay::made_up {
namespace {

constexpr double share_marked = 0.25;

using Marks = std::vector<std::vector<bool>>;  ///< by problem and config

Marks mark(const Kernels& kernels, RandomNumbers& random) {
  Marks all;
  for (const Kernel& kernel : kernels) {
    std::vector<bool>& marked = all.emplace_back(kernel.configs.size());
    for (std::size_t config = 1; config < marked.size(); ++config) {
      marked[config] = random.uniform() < share_marked;
    }
  }
  return all;
}

double factor(const Marks& marked, std::size_t first_problem, std::size_t first_id, std::size_t second_id) {
  const bool first = marked[first_problem][first_id];
  const bool second = marked[first_problem + 1][second_id];
  return first && second ? 0.8 : (first || second ? 1.05 : 1);
}

Times times_helped(const Marks& marked, const Kernels& kernels, const Assignment& assignment) {
  Times times = times_alone(kernels, assignment);
  for (std::size_t p = 0; p + 1 < assignment.size(); p += 2) {
    const double both = factor(marked, p, assignment[p], assignment[p + 1]);
    times.own_ns[p] *= both;
    times.own_ns[p + 1] *= both;
  }
  for (const double own_ns : times.own_ns) {
    times.makespan_ns += own_ns;
  }
  return times;
}

double best_helped(const Marks& marked, const Kernels& kernels) {
  double sum_ns = 0;
  for (std::size_t p = 0; p < kernels.size(); p += 2) {
    const Kernel& first = kernels[p];
    if (p + 1 == kernels.size()) {
      sum_ns += fastest_ns(first);
      break;
    }
    const Kernel& second = kernels[p + 1];
    sum_ns += least_of_pairs(first, second, [&](std::size_t i, std::size_t j) {
      return (first.configs[i].alone_ns + second.configs[j].alone_ns) * factor(marked, p, i, j);
    });
  }
  return sum_ns;
}

}  // namespace

std::unique_ptr<Model> make_helping_pairs(RandomNumbers& random) {
  Kernels kernels = make_kernels(random);
  const Marks marked = mark(kernels, random);
  const double best_ns = best_helped(marked, kernels);
  const auto times = [marked](const Kernels& all, const Assignment& assignment) {
    return times_helped(marked, all, assignment);
  };
  return std::make_unique<Model>(std::move(kernels), times, best_ns);
}

}  // namespace search_replay::made_up
