#pragma once

/// \file
/// CheckedLayer: what the example programs of regions across GPUs need of the layer that they tune.

#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <string>

namespace examples {

/// How the error of a result is told, and how large it may be.
struct ErrorMeasure {
  std::string name;
  double allowed = 0;
};

/// One rank's part of a layer, on a stream of its own, with several sets of inputs in turn, so that no result
/// of an earlier run looks right. One thread at a time uses it.
class CheckedLayer {
 public:
  CheckedLayer() = default;
  CheckedLayer(const CheckedLayer&) = delete;
  CheckedLayer& operator=(const CheckedLayer&) = delete;
  /// Waits for the stream. Collective, as the workspace's.
  virtual ~CheckedLayer() = default;

  /// Fills the output with NaN, takes the next set of inputs, and waits.
  virtual void prepare() = 0;
  /// The region. Does not wait.
  virtual void run() = 0;
  /// Waits for the stream.
  virtual void wait() const = 0;
  /// Waits, and returns the largest error of the last run's result; infinity if something checked is NaN.
  virtual double error() = 0;
  virtual ErrorMeasure measure() const = 0;

  virtual const contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept = 0;
};

}  // namespace examples
