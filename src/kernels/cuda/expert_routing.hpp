#pragma once

/// \file
/// The parts of an ExpertRouting, for the kernels that use it.

#include "kernels/cuda/expert_tables.hpp"

#include <contextual/kernels/cuda/expert_routing.hpp>

namespace contextual::kernels::cuda {

/// On the device, in one allocation.
struct ExpertRouting::Tables {
  ExpertTables tables;
  int* of_blocks;
  unsigned* done;
  void* memory;
};

/// Returns the list of tiles of this height: one of 64, 128, 256 and 512 rows.
constexpr int expert_tile_list(int height) {
  int list = 0;
  while (ExpertTables::least_height << list < height) {
    ++list;
  }
  return list;
}

/// The header of kernels that use a routing.
extern const char* const expert_tables_header;

}  // namespace contextual::kernels::cuda
