#include "contextual/cuda/kernel/cubin_cache.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/warning.hpp>

#include <cstdint>
#include <string_view>

namespace contextual::cuda {
namespace {

constexpr std::string_view magic = "contextual cubin 1\n";

std::uint64_t digest(std::string_view text) {
  return detail::StableHash().add(text).value();
}

/// magic, then digest of the rest, then length and bytes of key, name, code and warnings.
std::string encode(const std::string& key, const Cubin& cubin) {
  std::string rest;
  for (const std::string* part : {&key, &cubin.lowered_name, &cubin.code, &cubin.warnings}) {
    rest += std::to_string(part->size()) + "\n" + *part;
  }
  return std::string(magic) + detail::hex_text(digest(rest)) + "\n" + rest;
}

/// Takes "<length>\n<bytes>" off the front; empty when there is none.
std::optional<std::string> take_part(std::string_view& text) {
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos || line == 0 || line > 18) {
    return std::nullopt;
  }
  std::size_t length = 0;
  for (const char c : text.substr(0, line)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    length = length * 10 + static_cast<std::size_t>(c - '0');
  }
  if (length > text.size() - line - 1) {
    return std::nullopt;
  }
  std::string part(text.substr(line + 1, length));
  text.remove_prefix(line + 1 + length);
  return part;
}

std::optional<Cubin> decode(std::string_view text, const std::string& key) {
  constexpr std::size_t digest_length = 17;
  if (text.substr(0, magic.size()) != magic || text.size() < magic.size() + digest_length) {
    return std::nullopt;
  }
  text.remove_prefix(magic.size());
  const std::string_view said = text.substr(0, digest_length);
  text.remove_prefix(digest_length);
  if (said != detail::hex_text(digest(text)) + "\n") {
    return std::nullopt;
  }
  const auto stored_key = take_part(text);
  auto name = take_part(text);
  auto code = take_part(text);
  auto warnings = take_part(text);
  if (!stored_key || *stored_key != key || !name || !code || !warnings) {
    return std::nullopt;
  }
  return Cubin{*std::move(code), *std::move(name), *std::move(warnings)};
}

std::string file_of(const std::string& key) {
  return detail::hex_text(digest(key)) + ".cubin";
}

}  // namespace

std::optional<Cubin> CubinCache::find(const std::string& key) const noexcept {
  try {
    const detail::TrustedFolder::Reading reading = folder_.read(file_of(key));
    if (!reading.refusal.empty()) {
      detail::warn_once(reading.refusal);
    }
    return reading.text ? decode(*reading.text, key) : std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
}

void CubinCache::store(const std::string& key, const Cubin& cubin) const noexcept {
  try {
    if (const std::string problem = folder_.write(file_of(key), encode(key, cubin)); !problem.empty()) {
      detail::warn_once("machine code is not kept: " + problem);
    }
  } catch (...) {
    return;  // a cache is a convenience
  }
}

}  // namespace contextual::cuda
