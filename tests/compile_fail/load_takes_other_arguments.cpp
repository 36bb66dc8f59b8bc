// error: KernelOptions::load is called as void(const C&) or as void(const C&, const Key&)
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](const float*, int n) { return contextual::make_key(n); },
                                   [](const Tile&, float*, int) {},
                                   {.load = [](const Tile&, bool) {}}};
}
