// error: a launcher takes its arguments by value or as lvalue references
#include "tiles.hpp"

#include <string>

int main() {
  contextual::TunableKernel kernel{"scale", tiles(), contextual::single_problem,
                                   [](const Tile&, std::string&&) {}};
}
