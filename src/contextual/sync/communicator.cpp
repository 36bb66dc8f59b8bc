#include <contextual/communicator.hpp>

namespace contextual {

// Here and not in the header, so that the vtable and the type information exist once in the process.
Communicator::~Communicator() = default;

}  // namespace contextual
