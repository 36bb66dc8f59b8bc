#include "report/html/plot_axis.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace plot_axis_test {

using contextual::log_report::Axis;
using contextual::log_report::Scale;

TEST_CASE("Axis: any values give finite positions inside", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{0, 0},
                                                                        {5, 5},
                                                                        {1, 1e18},
                                                                        {-1, 1},
                                                                        {1e-300, 1e300},
                                                                        {infinity, -infinity},
                                                                        {3, 2},
                                                                        {0, 1e308},
                                                                        {-1e308, 1e308}}) {
    const Axis axis(low, high, 10, 20, Scale::fitting);
    for (const double value : {low, high, 0.0, -1e308, 1e308, infinity, std::nan("")}) {
      INFO(low << " to " << high << " at " << value);
      CHECK(axis.position(value) >= 10);
      CHECK(axis.position(value) <= 20);
    }
    CHECK(axis.ticks(4).size() <= 64);
  }
}

}  // namespace plot_axis_test
