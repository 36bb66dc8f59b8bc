#include <contextual/tune_request.hpp>

namespace contextual {

std::string to_string(const TuneRequest& request) {
  std::string sizes;
  for (const std::int64_t size : request.problem_size) {
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  }
  std::string text = request.kernel_type + (request.kernel_type.empty() ? "(" : " (") + sizes + ")";
  return request.device.empty() ? text : text + " on " + request.device;
}

}  // namespace contextual
