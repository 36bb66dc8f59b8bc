#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// Keeps the result of the latest run of a region. The previous result is destroyed before the region runs
/// again.
template <typename Result>
class ResultSlot {
 public:
  void clear() noexcept { value_.reset(); }
  template <typename Region>
  void fill(Region& region) {
    clear();
    value_.emplace(InvokeLater<Region>{region});
  }
  const Result& result() const noexcept { return value_->value; }
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

/// The same for an lvalue or rvalue reference. The slot keeps only the address, so the target must outlive
/// it.
template <typename Result>
requires std::is_reference_v<Result>
class ResultSlot<Result> {
  using Referred = std::remove_reference_t<Result>;

 public:
  void clear() noexcept {}
  template <typename Region>
  void fill(Region& region) {
    Result result = std::invoke(region);  // a name, so that an rvalue's address can be taken
    value_ = std::addressof(result);
  }
  const Referred& result() const noexcept { return *value_; }
  Result take() && { return static_cast<Result>(*value_); }

 private:
  Referred* value_ = nullptr;
};

}  // namespace contextual::detail
