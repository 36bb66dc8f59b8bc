// error: prune
#include "tiles.hpp"

int main() {
  contextual::KernelOptions<void(const Tile&, int)> options{
      .prune = [](const Tile& tile, int n) { return tile.rows > n; }};
}
