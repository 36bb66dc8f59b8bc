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

/// Of a reference of either kind, which is handed on as it is: what it refers to must outlive the call.
template <typename Result>
requires std::is_reference_v<Result>
class ResultSlot<Result> {
  using Referred = std::remove_reference_t<Result>;

 public:
  template <typename Region>
  void fill(Region& region) {
    Result result = std::invoke(region);  // a name, so that an rvalue's address can be taken
    value_ = std::addressof(result);
  }
  Result take() && { return static_cast<Result>(*value_); }

 private:
  Referred* value_ = nullptr;
};

}  // namespace contextual::detail
