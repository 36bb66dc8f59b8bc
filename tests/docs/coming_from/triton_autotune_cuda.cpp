// section: `triton.autotune`
#include "docs/coming_from/scale_kernel.hpp"

using namespace coming_from;

// row: `@triton.autotune(configs, key)`
TEST_CASE("triton.autotune: configs and key belong to a tunable kernel of any kind", "[unit]") {
  int launches = 0;
  contextual::TunableKernel host{"triton_host", blocks(), [](int n) { return contextual::make_key(n); },
                                 [&](const Tile&, int) { ++launches; }};
  contextual::CudaKernel<Tile, float*, int> device{"triton_device", blocks(), scale_key, scale_definition()};
  host(3);
  CHECK(launches == 1);
  CHECK(device.name() == "triton_device");
}
