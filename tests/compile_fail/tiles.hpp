#pragma once

/// \file
/// A config and a space for programs that are right but for one argument.

#include <contextual/contextual.hpp>

struct Tile {
  int rows = 1;
};

struct OtherTile {
  int rows = 1;
};

inline contextual::ConfigSpace<Tile> tiles() {
  return {{"ROWS", &Tile::rows, {1, 2}}};
}
