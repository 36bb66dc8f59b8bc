// error: FunctionOptions::keep is called as bool(const C&, const Args&...)
#include "tiles.hpp"

int main() {
  auto scale = contextual::autotune(
      "scale", [](const Tile&, float*, int) {}, tiles(),
      [](const float*, int n) { return contextual::make_key(n); },
      {.keep = [](const Tile& tile, int n) { return tile.rows <= n; }});
}
