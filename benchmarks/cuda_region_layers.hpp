#pragma once

/// \file
/// The regions of several GPUs as the benchmark runs them: one call, its parts alone, and the searches of
/// what it is compared with.

#include "common/checked_layer.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/search.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace contextual::benchmarks {

/// Sizes of the whole, as papers give them; what of n or k a rank has follows from the number of ranks.
struct RegionShape {
  int m = 8192;
  int n = 14336;
  int k = 4096;
};

/// One region of one rank, and its parts, which run after it. All calls follow each other on the layer's
/// stream.
class RegionLayer {
 public:
  virtual ~RegionLayer() = default;
  RegionLayer() = default;
  RegionLayer(const RegionLayer&) = delete;
  RegionLayer& operator=(const RegionLayer&) = delete;

  /// The call, and the check of its result.
  virtual examples::CheckedLayer& whole() = 0;
  /// Its GEMM alone, with all rows there, as cuBLASLt and the own kernel compute it.
  virtual kernels::cuda::GemmArgs product() const = 0;
  /// Copies between the devices that move the data, with nothing to wait for.
  virtual void run_transfer() = 0;

  /// Bytes that a rank's memory must give and take in one call, if nothing were read twice.
  virtual std::size_t compulsory_bytes() const = 0;

  /// The kernel of the call that has the GEMM's configs.
  virtual std::string gemm_kernel() const = 0;
};

std::unique_ptr<RegionLayer> make_allgather_layer(const std::shared_ptr<Communicator>& communicator,
                                                  const RegionShape& shape);
std::unique_ptr<RegionLayer> make_reduce_scatter_layer(const std::shared_ptr<Communicator>& communicator,
                                                       const RegionShape& shape);

/// The plain GEMM. Its configs have the tiles and the order of those of the regions' kernels with the same
/// ids, which it may leave out for few rows; for a reduce-scatter it has other buffers.
kernels::cuda::Gemm& product_of_region();

/// Chooses these configs, by kernel, and the start's for all other kernels, after one visit.
SearchFactory fixed_search(std::map<std::string, std::size_t> configs);

/// Visits every combination of these configs, by kernel, with three samples each, then the shortest ten with
/// fifteen, and chooses the shortest.
SearchFactory subspace_search(std::map<std::string, std::vector<std::size_t>> configs);

}  // namespace contextual::benchmarks
