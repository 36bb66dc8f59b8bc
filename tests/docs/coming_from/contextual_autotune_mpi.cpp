// section: `contextual_autotune` of Triton-distributed
#include "docs/coming_from/coming_from.hpp"

#include <contextual/mpi.hpp>

using contextual::Options;

// row: `is_dist=True`: the world of `torch.distributed`
TEST_CASE("contextual_autotune: the world of ranks is that of MPI", "[unit]") {
  // Compiled only: this program was not started by mpirun.
  const auto world = [] { return Options{.communicator = contextual::mpi_world()}; };
  STATIC_REQUIRE(std::is_same_v<decltype(world()), Options>);
}
