// error: prune
#include "tiles.hpp"

int main() {
  contextual::KernelOptions<void(const Tile&, int)> options;
  options.prune = [](const Tile& tile, int n) { return tile.rows > n; };
}
