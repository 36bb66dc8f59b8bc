#pragma once

/// \file
/// Kernels of one key for all sizes. A tile may not be larger than the size; the largest one is fastest.

#include "support/ranks.hpp"

namespace contextual::test::sized_test {

struct Tile {
  int tile = 16;
};

inline ConfigSpace<Tile> tiles_up_to_128() {
  return {{"TILE", &Tile::tile, {16, 64, 128}}};
}

/// For `keep`.
inline constexpr auto tile_fits = [](const Tile& tile, int n) { return tile.tile <= n; };

/// What was launched.
struct Launches {
  int refused = 0;  ///< with a tile that does not fit
  std::vector<int> tiles{};

  int note(const Tile& tile, int n) {
    refused += tile_fits(tile, n) ? 0 : 1;
    tiles.push_back(tile.tile);
    return tile.tile;
  }
};

using SizedKernel = TunableKernel<int(const Tile&, int)>;

inline std::unique_ptr<SizedKernel> sized_kernel(const std::string& name, Launches& seen,
                                                 SizedKernel::Options options = {}) {
  options.keep = tile_fits;
  return std::make_unique<SizedKernel>(
      name, tiles_up_to_128(), [](int) { return single_problem(); },
      [&seen](const Tile& tile, int n) { return seen.note(tile, n); }, std::move(options));
}

/// Two ranks with a kernel each.
struct SizedRanks {
  explicit SizedRanks(const std::string& name) {
    for (Launches& own : seen) {
      kernels.push_back(sized_kernel(name, own));
    }
  }
  test::PerRank<Launches> seen = test::PerRank<Launches>(2);
  test::PerRank<std::unique_ptr<SizedKernel>> kernels;
};

}  // namespace contextual::test::sized_test
