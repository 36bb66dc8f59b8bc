#pragma once

#include <contextual/config.hpp>
#include <contextual/detail/config/config_list.hpp>
#include <contextual/detail/config/erased_callable.hpp>
#include <contextual/detail/config/space_column.hpp>
#include <contextual/detail/config/space_view.hpp>
#include <contextual/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace contextual::detail {

struct GeneratedSpace;
struct SpaceDefinition;

/// A ConfigSpace without the type of its configs, which stand behind `const void*`: see there. A copy shares
/// the generated configs until one of the two is changed.
class CONTEXTUAL_API ErasedSpace {
 public:
  using MakeList = std::unique_ptr<ConfigList> (*)();

  /// `make_list` returns an empty list of the configs' type. `dynamic` tells that this is `Config`.
  ErasedSpace(MakeList make_list, bool dynamic);
  ErasedSpace(const ErasedSpace&);
  ErasedSpace(ErasedSpace&&) noexcept;
  ErasedSpace& operator=(const ErasedSpace&);
  ErasedSpace& operator=(ErasedSpace&&) noexcept;
  ~ErasedSpace();

  void add_parameter(const SpaceColumn& parameter);
  void add_constraint(std::string name, PackedResult<bool> allows);
  void add_refinement(SpaceColumn values);
  void set_list(std::shared_ptr<const ConfigList> configs);
  /// Keeps a copy of `config`.
  void set_default(const void* config);

  std::uint64_t cardinality() const;
  /// Generates the configs unless they exist already.
  const ConfigList& configs() const;
  std::size_t refinement_count() const;
  const void* config(std::size_t config_id) const;
  Config to_config(std::size_t config_id) const;
  std::uint64_t digest() const;
  SpaceView view() const;
  /// Returns how many parameters stand before that of this name.
  std::size_t position_of(std::string_view name) const;

 private:
  struct Impl;
  SpaceDefinition& changed();
  const GeneratedSpace& generated() const;

  MakeList make_list_;
  bool dynamic_;
  std::shared_ptr<Impl> impl_;  ///< null after a move
};

}  // namespace contextual::detail
