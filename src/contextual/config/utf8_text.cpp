#include "contextual/config/utf8_text.hpp"

#include <nlohmann/json.hpp>

namespace contextual::detail {

std::string as_kept(const std::string& text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace contextual::detail
