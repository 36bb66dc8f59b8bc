#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// Keeps the value of the latest run of a region; an earlier one is destroyed before the region runs again.
template <typename Result>
class ResultSlot {
 public:
  template <typename Region>
  void fill(Region& region) {
    value_.reset();
    value_.emplace(InvokeLater<Region>{region});
  }
  Result take() && { return std::move(*value_).value; }

 private:
  template <typename Region>
  struct InvokeLater {
    Region& region;
  };
  struct Holder {
    template <typename Region>
    explicit Holder(InvokeLater<Region> later) : value(std::invoke(later.region)) {}
    Result value;
  };
  std::optional<Holder> value_;
};

template <typename Referred>
class ResultSlot<Referred&> {
 public:
  template <typename Region>
  void fill(Region& region) {
    value_ = std::addressof(std::invoke(region));
  }
  Referred& take() && { return *value_; }

 private:
  Referred* value_ = nullptr;
};

}  // namespace contextual::detail
