#pragma once

/// \file
/// Markup of the page and of its plots, and the axes of plots. All that comes from a log goes through
/// `escaped`.

#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// Escapes text for the content of elements and for attributes in double quotes.
std::string escaped(std::string_view text);

/// Returns <name attributes>content</name>. `content` must be markup already.
std::string element(std::string_view name, std::string_view content, std::string_view attributes = {});

inline constexpr double plot_width = 480;

/// Writes a plot. Positions are in units of the view box, which is `plot_width` wide; what a shape is called
/// is its class in the style sheet. Numbers are never "nan", and have a point in any locale.
class Svg {
 public:
  void text(double x, double y, std::string_view text, std::string_view attributes = {});
  void line(double x1, double y1, double x2, double y2, std::string_view name);
  void circle(double x, double y, double radius, std::string_view name);
  void rectangle(double x, double y, double width, double height, std::string_view name);

  /// What follows until `end_mark` is one mark, with the title that a reader sees when pointing at it.
  void begin_mark(std::string_view title);
  void end_mark() { markup_ += "</g>\n"; }

  void legend(std::string_view name, std::string_view text);

  /// Returns the plot with its caption. `kind` and the number of marks become attributes, by which a check of
  /// the page can count the elements of class "mark".
  std::string figure(const std::string& kind, const std::string& caption, double height) const;

 private:
  std::string markup_;
  std::string legend_;
  int marks_ = 0;
};

/// Maps values to positions: logarithmically if the values are positive and span so wide a range that small
/// ones would be indistinguishable otherwise. Values outside of the axis are clamped.
class Axis {
 public:
  struct Tick {
    double position;
    double value;
  };

  /// `low` and `high`, with `low` <= `high`, are the values to show, `begin` and `end` their positions. If
  /// they are equal or not finite, the axis spans some width around them.
  Axis(double low, double high, double begin, double end);

  double position(double value) const;
  bool logarithmic() const { return logarithmic_; }

  /// Returns about `count` ticks at round values.
  std::vector<Tick> ticks(int count) const;

 private:
  double scaled(double value) const;

  double low_;
  double high_;
  double begin_;
  double end_;
  bool logarithmic_;
};

}  // namespace contextual::log_report
