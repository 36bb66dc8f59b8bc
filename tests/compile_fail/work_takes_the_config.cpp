// error: KernelOptions::work is called as KernelWork(const Args&...)
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{
      "scale",
      tiles(),
      [](const float*, int n) { return contextual::make_key(n); },
      [](const Tile&, float*, int) {},
      {.work = [](const Tile&, const float*, int n) { return contextual::KernelWork{.flops = 1.0 * n}; }}};
}
