// The configs of the exchanges between ranks, by the names of the kernels.

#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/host/configs.hpp>
#include <contextual/kernels/mpi/configs.hpp>
#include <contextual/kernels/mpi/kernels.hpp>

namespace contextual::kernel_configs_test {

namespace mpi = kernels::mpi;

TEST_CASE("MPI configs: every kernel has those of its config space, the default first") {
  CHECK(mpi::kernel_types() == std::vector<std::string>{"mpi_all_gather", "mpi_reduce_scatter"});
  CHECK(kernels::all_gather().name() == "mpi_all_gather");
  CHECK(kernels::reduce_scatter().name() == "mpi_reduce_scatter");
  CHECK(mpi::generate_configs("mpi_all_gather") == kernels::all_gather().space().view().configs);
  CHECK(mpi::generate_configs("mpi_reduce_scatter") == kernels::reduce_scatter().space().view().configs);
  for (const std::string& kernel : mpi::kernel_types()) {
    const std::vector<Config> all = mpi::generate_configs(kernel);
    CHECK(all.size() == 6);
    CHECK(mpi::get_default_config(kernel) == all.front());
    CHECK(mpi::filter_valid_configs(kernel, all, {.threads = 1}) == all);
    CHECK(mpi::resource_needs(kernel, all.back()) == ResourceNeeds{});
    CHECK(mpi::filter_valid_configs(kernel, {Config{{"CHUNK_ROWS", 3}}}).empty());
  }
  CHECK_THROWS_AS(mpi::generate_configs("host_gemm"), InvalidArgument);  // that is kernels/host/configs.hpp's
}

}  // namespace contextual::kernel_configs_test
