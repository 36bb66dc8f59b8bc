#include <contextual/kernels/mpi/kernels.hpp>
#include <contextual/key.hpp>

namespace contextual::kernels {

namespace {

int ranks_of(MPI_Comm communicator) {
  int ranks = 1;
  MPI_Comm_size(communicator, &ranks);
  return ranks;
}

/// A chunk as large as the largest one below it, or as all rows, is that one again.
template <typename Config, typename Args>
bool differs_from_smaller_chunk(const Config& config, const Args& args) {
  return config.chunk_rows <= 64 || config.chunk_rows / 4 < args.rows;
}

}  // namespace

ConfigSpace<AllGatherConfig> all_gather_space() {
  return {{"CHUNK_ROWS", &AllGatherConfig::chunk_rows, {64, 256, 1024}},
          {"PAUSE_US", &AllGatherConfig::pause_us, {0, 50}}};
}

ConfigSpace<ReduceScatterConfig> reduce_scatter_space() {
  return {{"CHUNK_ROWS", &ReduceScatterConfig::chunk_rows, {64, 256, 1024}},
          {"PAUSE_US", &ReduceScatterConfig::pause_us, {0, 50}}};
}

TunableKernel<void(const AllGatherConfig&, const AllGatherArgs&)>& all_gather() {
  static TunableKernel kernel{
      "mpi_all_gather",
      all_gather_space(),
      [](const AllGatherArgs& a) { return make_key(a.rows, a.cols, ranks_of(a.communicator)); },
      [](const AllGatherConfig& config, const AllGatherArgs& args) { all_gather_compute(config, args); },
      {.keep = [](const AllGatherConfig& config,
                  const AllGatherArgs& args) { return differs_from_smaller_chunk(config, args); },
       .coupling = "mpi_all_gather",
       .key_names = {"ROWS", "COLS", "RANKS"}}};
  return kernel;
}

TunableKernel<void(const ReduceScatterConfig&, const ReduceScatterArgs&)>& reduce_scatter() {
  static TunableKernel kernel{
      "mpi_reduce_scatter",
      reduce_scatter_space(),
      [](const ReduceScatterArgs& a) { return make_key(a.rows, a.cols, ranks_of(a.communicator)); },
      [](const ReduceScatterConfig& config, const ReduceScatterArgs& args) {
        reduce_scatter_compute(config, args);
      },
      {.keep = [](const ReduceScatterConfig& config,
                  const ReduceScatterArgs& args) { return differs_from_smaller_chunk(config, args); },
       .coupling = "mpi_reduce_scatter",
       .key_names = {"ROWS", "COLS", "RANKS"}}};
  return kernel;
}

}  // namespace contextual::kernels
