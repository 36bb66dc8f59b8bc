// Compiles: what the other programs here have in common is right.
#include "tiles.hpp"

#include <functional>
#include <string>
#include <utility>

int main() {
  contextual::TunableKernel kernel{
      "scale",
      tiles(),
      [](const float*, int n) { return contextual::make_key(n); },
      [](const Tile&, float*, int) { return 0; },
      {.load = [](const Tile&) {},
       .keep = [](const Tile& tile, const float*, int n) { return tile.rows <= n; },
       .check = [](const auto&...) { return true; }}};
  contextual::TunableKernel<void(const Tile&, double&)> named{
      "named", {{"ROWS", &Tile::rows, {1, 2}}}, contextual::single_problem, [](const Tile&, auto& value) {
        value = 1;
      }};
  const std::function<contextual::Key()> key = contextual::single_problem;
  contextual::TunableKernel of_functions{"of_functions", tiles(), key, std::function<void(const Tile&)>()};
  contextual::KernelOptions<void(const Tile&)> options;
  options.load = [](const Tile&, const contextual::Key&) {};
  options.load = std::function<void(const Tile&)>();
  options.load = nullptr;

  contextual::ContextualAutotuner tuner;
  float value = 0;
  auto step = contextual::make_tuned_region(tuner, "step", [&](float& x) -> float&& {
    kernel(&x, 1);
    return std::move(x);
  });
  value = step(value);
  return tuner.run("scale", [&] { return kernel(&value, 1); });
}
