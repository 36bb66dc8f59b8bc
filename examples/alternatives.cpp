/// \file
/// Tunes a choice between two ways to do one thing, which launch different kernels.
///
/// An image is blurred. "fused" is one kernel, which adds up a square of neighbours for every pixel.
/// "separate" is two kernels: the first one adds up neighbours in a row, the second one adds up what the
/// first one has computed in a column. Each kernel has a config of its own, so the two ways are compared with
/// the best configs of each.

#include <contextual/alternatives.hpp>
#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t radius = 3;
constexpr float weight = 1.0F / (2 * radius + 1);  ///< of each of the 7 neighbours in a row or a column

/// Row-major, with a margin of zeros around it which is as wide as the radius.
class Image {
 public:
  Image(std::size_t its_rows, std::size_t its_columns)
      : rows(its_rows), columns(its_columns), pixels_((rows + 2 * radius) * (columns + 2 * radius)) {}

  /// Returns the place of a pixel; row and column count from the margin's corner.
  float* at(std::size_t row, std::size_t column) { return &pixels_[row * (columns + 2 * radius) + column]; }
  const float* at(std::size_t row, std::size_t column) const {
    return &pixels_[row * (columns + 2 * radius) + column];
  }

  const std::size_t rows;
  const std::size_t columns;

 private:
  std::vector<float> pixels_;
};

/// So many pixels of a row are computed at a time.
struct TileConfig {
  std::size_t columns = 4;
};

/// A neighbourhood of this many rows and columns with equal weights.
struct Window {
  std::size_t rows = 2 * radius + 1;
  std::size_t columns = 2 * radius + 1;
};

void add_up(const TileConfig& config, const Window& window, const Image& in, Image& out) {
  const float each = (window.rows > 1 ? weight : 1.0F) * (window.columns > 1 ? weight : 1.0F);
  for (std::size_t i = 0; i < out.rows; ++i) {
    for (std::size_t begin = 0; begin < out.columns; begin += config.columns) {
      const std::size_t count = std::min(config.columns, out.columns - begin);
      float* const sums = out.at(i + radius, begin + radius);
      std::fill_n(sums, count, 0.0F);
      for (std::size_t row = 0; row < window.rows; ++row) {
        for (std::size_t column = 0; column < window.columns; ++column) {
          const float* const from =
              in.at(i + radius - window.rows / 2 + row, begin + radius - window.columns / 2 + column);
          for (std::size_t j = 0; j < count; ++j) {
            sums[j] += each * from[j];
          }
        }
      }
    }
  }
}

contextual::Key key_of(const Image& in, const Image&) {
  return contextual::make_key(in.rows, in.columns);
}

using Kernel = contextual::TunableKernel<void(const TileConfig&, const Image&, Image&)>;

Kernel make_kernel(const std::string& name, const Window& window) {
  return Kernel(
      name, {{"COLUMNS", &TileConfig::columns, {4, 16, 64, 256}}}, key_of,
      [window](const TileConfig& config, const Image& in, Image& out) { add_up(config, window, in, out); },
      {.key_names = {"ROWS", "COLUMNS"}});
}

Image random_image(std::size_t rows, std::size_t columns) {
  Image image(rows, columns);
  std::minstd_rand generator(1);
  std::uniform_real_distribution<float> value(0.5F, 1.5F);
  for (std::size_t i = 0; i < rows; ++i) {
    std::generate_n(image.at(i + radius, radius), columns, [&] { return value(generator); });
  }
  return image;
}

/// Throws if the two differ by more than roundings to float.
void check(const Image& image, const Image& expected) {
  constexpr float tolerance = 1e-5F;
  for (std::size_t i = radius; i < image.rows + radius; ++i) {
    for (std::size_t j = radius; j < image.columns + radius; ++j) {
      if (!(std::abs(*image.at(i, j) - *expected.at(i, j)) <= tolerance * *expected.at(i, j))) {
        throw std::runtime_error("pixel " + std::to_string(i) + ", " + std::to_string(j) + " is wrong");
      }
    }
  }
}

void tune(contextual::Detail detail) {
  const Image in = random_image(240, 1000);
  Image out(in.rows, in.columns);
  Image between(in.rows, in.columns);
  Image expected(in.rows, in.columns);
  add_up({.columns = 1}, {}, in, expected);

  Kernel square = make_kernel("blur_square", {});
  Kernel rows = make_kernel("blur_rows", {.rows = 1});
  Kernel columns = make_kernel("blur_columns", {.columns = 1});
  contextual::Alternatives<void(const Image&, Image&)> blur{
      "blur",
      key_of,
      {{"fused", [&](const Image& from, Image& to) { square(from, to); }},
       {"separate",
        [&](const Image& from, Image& to) {
          rows(from, between);
          columns(between, to);
        }}},
      {"ROWS", "COLUMNS"}};

  int right = 0;
  contextual::ContextualAutotuner tuner{{.n_warmup = 1,
                                         .n_repeat = 2,
                                         .search = contextual::SearchLevel::quick,
                                         .log_directory = "",
                                         .after_iteration = [&](const contextual::IterationInfo&) {
                                           check(out, expected);
                                           ++right;
                                         }}};
  tuner.run("image", [&] { blur(in, out); });

  const contextual::Report report = tuner.report();
  const contextual::RegionReport& region = *report.find("image");
  std::cout << region.to_string(detail);
  std::cout << "All " << right << " results were right.\n";
}

}  // namespace

int main(int argc, char** argv) {
  const bool why = argc == 2 && std::string_view(argv[1]) == "--why";
  if (argc > 1 && !why) {
    std::cerr << "usage: alternatives [--why]\n";
    return 2;
  }
  try {
    tune(why ? contextual::Detail::why : contextual::Detail::choices);
  } catch (const std::exception& error) {
    std::cerr << "alternatives: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
