// section: `contextual_autotune` of Triton-distributed
#include "docs/coming_from/scale_kernel.hpp"

using namespace coming_from;

// row: a kernel with `@triton.autotune` and `@triton.jit`
TEST_CASE("contextual_autotune: a kernel is a launcher of yours, or a source", "[unit]") {
  contextual::TunableKernel launcher{"from_launcher", blocks(), contextual::single_problem,
                                     [](const Tile&) {}};
  contextual::CudaKernel<Tile, float*, int> source{"from_source", blocks(), scale_key, scale_definition()};
  CHECK(launcher.space().size() == source.space().size());
}
