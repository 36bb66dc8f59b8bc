#pragma once

/// \file
/// Paragraphs and foldable parts of the page.

#include <cstddef>
#include <cstdint>
#include <string>

namespace contextual::log_report {

/// Returns a paragraph. Escapes `text`; `attributes` are markup.
std::string paragraph(const std::string& text, const std::string& attributes = {});

enum class Fold : std::uint8_t { closed, open };

/// Returns a part that a reader can fold. Escapes `title`; `content` is markup.
std::string folded(const std::string& title, const std::string& content, Fold fold);

/// Returns e.g. "3 slower configs left out; --whole-table shows them".
std::string left_out_note(std::size_t count, const std::string& what);

}  // namespace contextual::log_report
