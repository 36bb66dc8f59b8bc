#pragma once

/// \file
/// A made-up kernel: its configs, and how it behaves with each of them.

#include "search/random_numbers.hpp"

#include <contextual/config.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace search_replay::made_up {

struct KernelConfig {
  contextual::Config parameters;
  double alone_ns = 0;  ///< own time while nothing else runs
  int sms = 0;          ///< multiprocessors that it occupies
};

struct Kernel {
  std::string name;
  std::vector<KernelConfig> configs;  ///< config 0 is the default
  std::size_t refinement_count = 0;   ///< so many at the end are refinements
};

/// The number of multiprocessors of the made-up device, as on an H100 or H200.
inline constexpr int device_sms = 132;

/// One level is best, and the time grows with the distance from it.
struct Parameter {
  std::string name;
  std::size_t level_count = 0;
  double strength = 0;  ///< relative, at the largest distance
  std::size_t best_level = 0;
};

/// Gives a config the parameters' levels, and its own time their factors. The levels are the digits of
/// `index`, with as many values each as the parameter has levels.
void set_levels(KernelConfig& config, const std::vector<Parameter>& parameters, std::size_t index);
std::size_t combinations(const std::vector<Parameter>& parameters);

/// Makes a kernel of 8 to 100 configs: all values of 2 to 4 parameters. The own time is a product of one
/// factor for each parameter and a small one for each config; with more multiprocessors it is shorter. The
/// fastest config takes `fastest_ns`.
Kernel make_kernel(const std::string& name, double fastest_ns, RandomNumbers& random);

/// 2 to 6 of them. The longest take 80 us to 3 ms, the shortest a fifth of that.
std::vector<Kernel> make_kernels(RandomNumbers& random);

double fastest_ns(const Kernel& kernel);

}  // namespace search_replay::made_up
