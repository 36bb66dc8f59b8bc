// error: KernelOptions::check is called as bool(const C&, Args&...)
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](const float*, int n) { return contextual::make_key(n); },
                                   [](const Tile&, float*, int) {},
                                   {.check = [](const float* values, int) { return values[0] == 1; }}};
}
