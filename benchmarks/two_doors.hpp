#pragma once

/// \file
/// One function tuned through both doors, `autotune` and a region of one kernel, in turn.

#include "figures.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/function.hpp>
#include <contextual/kernel.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace contextual::benchmarks {

inline constexpr double most_times_longer = 1.1;
inline constexpr double least_alike =
    0.95;  ///< of the tunings: a run that waits for a core misleads either door

/// Tunes with `make_function(name)`, what `autotune` returns, and with `make_kernel(name)`, a tunable kernel,
/// each `launch`ed. Prints how long that took. `alike` gets the doors' reports and says whether they agree.
/// Returns whether they do in nearly all tunings, and the function takes hardly longer.
template <typename MakeFunction, typename MakeKernel, typename Launch, typename Alike>
bool compare_doors(const std::string& name, int tunings, const Options& options,
                   const MakeFunction& make_function, const MakeKernel& make_kernel, const Launch& launch,
                   const Alike& alike) {
  std::vector<double> by_function;
  std::vector<double> by_region;
  int alike_count = 0;
  for (int i = 0; i < tunings; ++i) {
    const std::string number = std::to_string(i);
    auto function = make_function(name + "_function_" + number);
    auto kernel = make_kernel(name + "_kernel_" + number);
    ContextualAutotuner tuner{options};
    const auto tune_function = [&] { by_function.push_back(elapsed<std::milli>([&] { launch(function); })); };
    const auto tune_region = [&] {
      by_region.push_back(
          elapsed<std::milli>([&] { tuner.run(name + "_region_" + number, [&] { launch(kernel); }); }));
    };
    if (i % 2 == 0) {
      tune_function();
      tune_region();
    } else {
      tune_region();
      tune_function();
    }
    const Report of_function = function.report();
    const Report of_region = tuner.report();
    const auto problem = [](const Report& report) { return report.runs.back().problems.front(); };
    alike_count += alike(problem(of_function), problem(of_region)) ? 1 : 0;
  }
  const double ratio = median(ratios(by_function, by_region));
  std::printf("tuning, median of %d: function %.1f ms, region %.1f ms, ratio of pairs %.3f\n", tunings,
              median(by_function), median(by_region), ratio);
  return alike_count >= least_alike * tunings && ratio <= most_times_longer;
}

}  // namespace contextual::benchmarks
