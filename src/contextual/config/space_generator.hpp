#pragma once

#include "contextual/config/space_checks.hpp"
#include "contextual/config/space_definition.hpp"

#include <contextual/config.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace contextual::detail {

/// Returns the number of candidates before constraints and without refinements, or the largest value if that
/// overflows.
std::uint64_t candidate_count(const SpaceDefinition& definition);

/// Call `generate` once: it returns the allowed configs, the default first and refinements last, or throws
/// ConfigSpaceError.
class SpaceGenerator {
 public:
  explicit SpaceGenerator(const SpaceDefinition& definition);

  GeneratedSpace generate();

 private:
  Config values(std::size_t config_id) const { return named_values(definition_, configs_->at(config_id)); }
  void check_definition() const;
  void check_members() const;
  void add_default();
  void add_dynamic_default();
  Config dynamic_reference() const;
  void add_list();
  void add_product(const std::vector<SpaceColumn>& parameters);
  void add_refinements();
  std::optional<std::uint64_t> position_of_default(const std::vector<SpaceColumn>& parameters) const;
  std::optional<std::size_t> first_violated(const void* config) const;
  /// The config that was appended last stays if the constraints allow it and if it is not the default.
  void keep_or_remove(bool is_default);

  const SpaceDefinition& definition_;
  std::vector<Exclusion> exclusions_;
  std::unique_ptr<ConfigList> configs_;  // the default first
  std::uint64_t passed_ = 0;  // candidates allowed by every constraint, the default if it is one of them
};

}  // namespace contextual::detail
