// error: the values of a config parameter have the type of its member
#include "tiles.hpp"

int main() {
  const contextual::ConfigSpace<Tile> space{{"ROWS", &Tile::rows, {"8", "16"}}};
}
