// Compiles: an enum of the user's own, and a status for which launch_status is specialised.
#include "tiles.hpp"

#include <optional>
#include <string>

enum class Layout { rows, columns };
typedef enum { MINE_STATUS_SUCCESS = 0 } mineStatus_t;

template <>
struct contextual::launch_status<mineStatus_t> {
  static std::optional<std::string> failure(const mineStatus_t& status) {
    return status == MINE_STATUS_SUCCESS ? std::nullopt : std::optional<std::string>("failed");
  }
};

int main() {
  contextual::TunableKernel layout{"layout", tiles(), contextual::single_problem,
                                   [](const Tile&) { return Layout::columns; }};
  contextual::TunableKernel mine{"mine", tiles(), contextual::single_problem,
                                 [](const Tile&) { return MINE_STATUS_SUCCESS; }};
  return layout() == Layout::columns && mine() == MINE_STATUS_SUCCESS ? 0 : 1;
}
