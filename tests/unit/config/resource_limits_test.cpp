#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/resource_limits.hpp>

namespace contextual::resource_limits_test {

TEST_CASE("ResourceLimits: what is at a limit fits, what is above one does not") {
  const ResourceNeeds needs{.shared_bytes = 48 * 1024, .threads = 256, .registers_per_thread = 128};
  CHECK(fits(needs, {}));
  CHECK(fits(needs, {.shared_bytes = 48 * 1024, .threads = 256, .registers_per_thread = 128}));
  CHECK_FALSE(fits(needs, {.shared_bytes = 48 * 1024 - 1}));
  CHECK_FALSE(fits(needs, {.threads = 255}));
  CHECK_FALSE(fits(needs, {.registers_per_thread = 127}));
  CHECK(fits(needs, {.registers = 256 * 128}));
  CHECK_FALSE(fits(needs, {.registers = 256 * 128 - 1}));
  CHECK(fits({}, {.shared_bytes = 0, .threads = 0, .registers_per_thread = 0, .registers = 0}));
}

TEST_CASE("filter_valid_configs: keeps the configs that fit, in their order") {
  const std::vector<Config> configs{{{"BLOCK", 512}}, {{"BLOCK", 64}}, {{"BLOCK", 1024}}, {{"BLOCK", 128}}};
  const auto needs = [](const Config& config) {
    return ResourceNeeds{.shared_bytes = 100 * config.get<int>("BLOCK")};
  };
  CHECK(filter_valid_configs(configs, {.shared_bytes = 51'200}, needs) ==
        std::vector<Config>{configs[0], configs[1], configs[3]});
  CHECK(filter_valid_configs(configs, {.shared_bytes = 1}, needs).empty());
  CHECK_THROWS_AS(filter_valid_configs({{{"OTHER", 1}}}, {}, needs), InvalidArgument);
}

}  // namespace contextual::resource_limits_test
