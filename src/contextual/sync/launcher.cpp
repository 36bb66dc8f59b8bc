#include "contextual/sync/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace contextual::sync {
namespace {

struct Variables {
  const char* size;
  const char* rank;
};

// The inner launcher first: mpirun may run within a Slurm job whose step has one task a node.
constexpr Variables launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},  // Open MPI's mpirun
    {"PMI_SIZE", "PMI_RANK"},                          // MPICH's and its relatives'
    {"SLURM_NTASKS", "SLURM_PROCID"},                  // srun
};

std::optional<int> number(const char* text) {
  if (text == nullptr) {
    return std::nullopt;
  }
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<LaunchedRank> launched_rank(const std::function<const char*(const char*)>& get) {
  for (const Variables& variables : launchers) {
    const std::optional<int> size = number(get(variables.size));
    const std::optional<int> rank = number(get(variables.rank));
    if (size && rank && *rank >= 0 && *rank<*size&& * size> 1) {
      return LaunchedRank{*rank, *size, variables.size};
    }
  }
  return std::nullopt;
}

std::optional<LaunchedRank> launched_rank() {
  return launched_rank([](const char* name) { return std::getenv(name); });
}

}  // namespace contextual::sync
