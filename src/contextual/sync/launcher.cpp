#include <contextual/detail/sync/launcher.hpp>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace contextual::detail {
namespace {

struct Variables {
  Launcher launcher;
  const char* size;
  const char* rank;
  const char* mark;  ///< must be set as well; null: no other variable
};

// The script of a Slurm job has the job's SLURM_NTASKS and rank 0, though nobody has started it as one of
// many: only srun sets the number of a step's tasks.
//
// The inner launcher first: mpirun may run within a Slurm job whose step has one task a node, and torchrun
// within both. Torchrun's names are common, and a job may set them for all of its processes: without
// torchrun's own mark they count only where no launcher is known.
constexpr Variables launchers[] = {
    {Launcher::torchrun, "WORLD_SIZE", "RANK", "TORCHELASTIC_RUN_ID"},
    {Launcher::open_mpi, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", nullptr},
    {Launcher::mpich, "PMI_SIZE", "PMI_RANK", nullptr},  // and its relatives
    {Launcher::slurm, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", nullptr},
    {Launcher::torchrun, "WORLD_SIZE", "RANK", "MASTER_ADDR"},
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
    if (variables.mark != nullptr && get(variables.mark) == nullptr) {
      continue;
    }
    const std::optional<int> size = number(get(variables.size));
    const std::optional<int> rank = number(get(variables.rank));
    if (size && rank && *rank >= 0 && *rank<*size&& * size> 1) {
      return LaunchedRank{*rank, *size, variables.size, variables.launcher};
    }
  }
  return std::nullopt;
}

std::optional<LaunchedRank> launched_rank() {
  return launched_rank([](const char* name) { return std::getenv(name); });
}

}  // namespace contextual::detail
