#pragma once

#include <cstddef>

/// What the application knows of the plugin: names of C functions, found by dlsym.
extern "C" {
using ScaleFunction = void (*)(float* values, std::size_t count, float factor);
using LastUnrollFunction = int (*)();
}
