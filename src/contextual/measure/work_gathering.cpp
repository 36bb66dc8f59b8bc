#include <contextual/detail/measure/work_gathering.hpp>

namespace contextual::detail {

WorkGathering::~WorkGathering() = default;

}  // namespace contextual::detail
