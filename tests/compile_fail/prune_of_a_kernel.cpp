// error: deduction
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) { return contextual::make_key(n); },
                                   [](const Tile&, int) {},
                                   {.prune = [](const Tile& tile, int n) { return tile.rows > n; }}};
}
