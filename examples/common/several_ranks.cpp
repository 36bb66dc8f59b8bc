#include "common/several_ranks.hpp"

#include <contextual/mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace examples {

Ranks::Ranks(std::chrono::milliseconds budget)
    : communicator_(contextual::mpi_communicator(MPI_COMM_WORLD)), budget_(budget) {}

void Ranks::barrier() {
  static_cast<void>(slowest(0));
}

double Ranks::slowest(double value) {
  constexpr double unit = 1e12;  // the collective compares integers
  std::vector<std::int64_t> values{static_cast<std::int64_t>(value * unit)};
  communicator_->all_reduce_max(values, deadline());
  return static_cast<double>(values[0]) / unit;
}

std::chrono::microseconds delay_of(const std::string& straggler, int rank, int ranks) {
  if (straggler.empty()) {
    return {};
  }
  std::istringstream text(straggler);
  int late = -1;
  char colon = ' ';
  double ms = -1;
  if (!(text >> late >> colon >> ms) || !text.eof() || colon != ':' || !(ms >= 0 && ms <= 60'000) ||
      late < 0 || late >= ranks) {
    throw std::invalid_argument(straggler + ": give RANK:MS with a rank below " + std::to_string(ranks) +
                                " and at most 60000 ms, such as 0:5");
  }
  return std::chrono::microseconds(late == rank ? static_cast<long>(ms * 1000) : 0);
}

std::string compare_choices(const contextual::RegionReport& region, Ranks& ranks, const std::string& file) {
  // Sorted: a rank lists its problems as it launched them, and threads have no order.
  std::set<std::string> lines;
  for (const contextual::ProblemReport& problem : region.problems) {
    lines.insert(region.region + " " + problem.kernel + " " + problem.key + ": config-" +
                 std::to_string(problem.choice) + " " + problem.choice_config.to_string() + "\n");
  }
  const std::string choices = std::accumulate(lines.begin(), lines.end(), std::string());
  if (!file.empty()) {
    const std::string name = file + "." + std::to_string(ranks.rank());
    if (!(std::ofstream(name) << choices << std::flush)) {
      throw std::runtime_error("cannot write " + name);
    }
  }
  const std::vector<std::string> all = ranks.communicator().all_gather(choices, ranks.deadline());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) {
      throw std::runtime_error("rank " + std::to_string(rank) + " chose otherwise than rank 0:\n" +
                               all[rank] + "rank 0:\n" + all[0]);
    }
  }
  return all.size() == 1
             ? "There is one rank."
             : "The choices of all " + std::to_string(all.size()) + " ranks are the same, byte for byte.";
}

void abort_all() {
  std::fflush(nullptr);
  int usable = 0;
  if (MPI_Initialized(&usable) == MPI_SUCCESS && usable != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::_Exit(1);
}

}  // namespace examples
