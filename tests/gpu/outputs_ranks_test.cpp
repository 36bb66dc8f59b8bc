/// \file
/// Options::outputs on ranks as processes, each with a GPU; they share one where there are too few.

#include "gpu/gpu_rank.hpp"
#include "gpu/planted_outputs.hpp"
#include "support/catch.hpp"

#include <contextual/mpi.hpp>

namespace contextual::test::gpu_test::gpu_outputs_ranks_test {

TEST_CASE("gpu outputs on ranks: what is wrong on one is chosen on none, and what is right on all can be",
          "[gpu][mpi]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  for (const std::string kind : planted_kinds) {
    INFO(kind);
    PlantedRegion region(kind, mpi_communicator(MPI_COMM_WORLD), rank.number == rank.count - 1);
    std::string complaint;
    for (int i = 0; i < planted_repetitions; ++i) {
      const std::string found = region.tune();
      complaint = complaint.empty() ? found : complaint;
    }
    CHECK(complaint == "");
    int different = 0;
    for (const std::size_t choice : region.choices()) {
      different += same_on_all_ranks(choice) ? 0 : 1;
    }
    CHECK(different == 0);
  }
}

}  // namespace contextual::test::gpu_test::gpu_outputs_ranks_test
