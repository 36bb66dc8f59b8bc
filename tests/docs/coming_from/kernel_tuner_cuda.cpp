// section: Kernel Tuner
#include "docs/coming_from/scale_kernel.hpp"

using namespace coming_from;

// row: `grid_div_x`, `block_size_names`
TEST_CASE("Kernel Tuner: grid and block are computed from the config", "[unit]") {
  const contextual::CudaLayout layout = scale_definition().layout({128}, nullptr, 1024);
  CHECK(layout.grid.x == 8);
  CHECK(layout.block.x == 128);
}
