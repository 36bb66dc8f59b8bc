// error: FunctionOptions::restore is called as void(Args&...)
#include "tiles.hpp"

int main() {
  auto scale = contextual::autotune(
      "scale", [](const Tile&, float*, int) {}, tiles(),
      [](const float*, int n) { return contextual::make_key(n); },
      {.restore = [](const Tile&, float*, int) {}});
}
