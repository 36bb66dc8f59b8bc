#include "search/made_up/helping_pairs_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace search_replay::made_up {
namespace {

constexpr double share_marked = 0.25;

}  // namespace

HelpingPairsModel::HelpingPairsModel(std::vector<Kernel> kernels, RandomNumbers& random)
    : Model(std::move(kernels)) {
  for (const Kernel& kernel : this->kernels()) {
    std::vector<bool>& marked = marked_.emplace_back(kernel.configs.size());
    for (std::size_t config = 1; config < marked.size(); ++config) {
      marked[config] = random.uniform() < share_marked;
    }
  }
}

std::optional<Times> HelpingPairsModel::times(const Assignment& assignment) const {
  Times times = times_alone(assignment);
  for (std::size_t p = 0; p + 1 < assignment.size(); p += 2) {
    const double both = factor(p, assignment[p], assignment[p + 1]);
    times.own_ns[p] *= both;
    times.own_ns[p + 1] *= both;
  }
  for (const double own_ns : times.own_ns) {
    times.makespan_ns += own_ns;
  }
  return times;
}

double HelpingPairsModel::factor(std::size_t first_problem, std::size_t first_id,
                                 std::size_t second_id) const {
  const bool first = marked_[first_problem][first_id];
  const bool second = marked_[first_problem + 1][second_id];
  return first && second ? 0.8 : (first || second ? 1.05 : 1);
}

double HelpingPairsModel::best_ns() const {
  double sum_ns = 0;
  for (std::size_t p = 0; p < kernels().size(); p += 2) {
    sum_ns += p + 1 < kernels().size() ? best_of_pair_ns(p) : fastest_ns(kernels()[p]);
  }
  return sum_ns;
}

double HelpingPairsModel::best_of_pair_ns(std::size_t first_problem) const {
  double best_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kernels()[first_problem].configs.size(); ++i) {
    for (std::size_t j = 0; j < kernels()[first_problem + 1].configs.size(); ++j) {
      const double alone_ns = config(first_problem, i).alone_ns + config(first_problem + 1, j).alone_ns;
      best_ns = std::min(best_ns, alone_ns * factor(first_problem, i, j));
    }
  }
  return best_ns;
}

}  // namespace search_replay::made_up
