// error: FunctionOptions::restore is called as std::vector<Restored>(Args&...)
#include "tiles.hpp"

int main() {
  auto scale = contextual::autotune(
      "scale", tiles(), [](const float*, int n) { return contextual::make_key(n); },
      [](const Tile&, float*, int) {},
      {.restore = [](const Tile&, float*, int) { return std::vector<contextual::Restored>(); }});
}
