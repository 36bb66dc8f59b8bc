#include <contextual/detail/measure/cache_clearing.hpp>

namespace contextual::detail {

CacheClearing::~CacheClearing() = default;

}  // namespace contextual::detail
