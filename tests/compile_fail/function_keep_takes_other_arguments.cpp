// error: FunctionOptions::keep is called as bool(const C&, const Args&...)
#include "tiles.hpp"

int main() {
  auto scale = contextual::autotune(
      "scale", tiles(), [](const float*, int n) { return contextual::make_key(n); },
      [](const Tile&, float*, int) {}, {.keep = [](const Tile& tile, int n) { return tile.rows <= n; }});
}
