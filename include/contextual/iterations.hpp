#pragma once

/// \file
/// Whether the device work of successive tuning iterations may overlap.

namespace contextual {

/// How tuning iterations follow each other on the devices.
enum class Iterations {
  /// All device work of an iteration ends before the device work of the next one begins. At the end of an
  /// iteration the tuner makes all streams of the contexts that the region used wait for each other on the
  /// devices. The host does not wait. A makespan then holds the work of its own iteration and no other's.
  joined,
  /// The tuner adds no wait, so work of successive iterations may overlap. For regions that are built for
  /// that, for example where a kernel waits for what the next iteration launches. A batch in which no problem
  /// changes its config is measured as a whole: each of its iterations has the time from the batch's first
  /// start to its last end, divided by the number of iterations, as its makespan. In a batch in which a
  /// problem changes its config, no iteration has a makespan.
  pipelined,
};

}  // namespace contextual
