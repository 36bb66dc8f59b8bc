#pragma once

/// \file
/// Paragraphs and foldable parts of the page.

#include <cstddef>
#include <cstdint>
#include <string>

namespace contextual::log_report {

/// `text` is escaped here; `attributes` are markup.
std::string paragraph(const std::string& text, const std::string& attributes = {});

enum class Fold : std::uint8_t { closed, open };

/// A part that a reader can fold. `title` is escaped here; `content` is markup.
std::string folded(const std::string& title, const std::string& content, Fold fold);

/// "3 slower configs left out; --whole-table shows them".
std::string left_out_note(std::size_t count, const std::string& what);

}  // namespace contextual::log_report
