#include <contextual/dispatch.hpp>
#include <contextual/error.hpp>

namespace contextual::detail {

void reject_dispatch(const std::string& value, const std::string& listed) {
  throw ConfigRejected("dispatch: the value " + value + " is not one of the compiled values (" + listed +
                       "): list it in the dispatch, or take it out of the config space");
}

}  // namespace contextual::detail
