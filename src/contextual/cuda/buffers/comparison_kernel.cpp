#include "contextual/cuda/buffers/comparison_kernel.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/buffers/buffer_context.hpp"
#include "contextual/cuda/kernel/compiler.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

#include <contextual/cache_directory.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/detail/cuda/cuda_launch_config.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace contextual::cuda {
namespace {

/// Elements are numbered as ElementType. Sixteen bytes at a time are read and compared as they are; only what
/// differs is looked at one element after the other. The host makes `first` the largest number before.
constexpr const char* source_text = R"(
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct Differences { u64 count, first, largest_error; };  // the last one by its bits

// A floating-point number of few bits; with FINITE only all ones is NaN, and nothing is infinite.
template <int EXPONENT, int FRACTION, bool FINITE>
__device__ double decoded(u32 bits) {
  const u32 fraction = bits & ((1u << FRACTION) - 1);
  const u32 exponent = (bits >> FRACTION) & ((1u << EXPONENT) - 1);
  const double sign = bits >> (EXPONENT + FRACTION) ? -1.0 : 1.0;
  const u32 top = (1u << EXPONENT) - 1;
  if (exponent == top && (!FINITE || fraction == (1u << FRACTION) - 1)) {
    return __longlong_as_double(!FINITE && fraction == 0 ? (sign < 0 ? 0xFFF0000000000000ll : 0x7FF0000000000000ll)
                                                         : 0x7FF8000000000000ll);
  }
  const int power = (exponent ? (int)exponent : 1) - ((1 << (EXPONENT - 1)) - 1) - FRACTION;
  const double scale = __longlong_as_double((long long)(1023 + power) << 52);
  return sign * (double)(fraction + (exponent ? 1u << FRACTION : 0u)) * scale;
}

template <typename T> __device__ T stored(const u8* data, u64 i) { return ((const T*)data)[i]; }

__device__ double number(int type, const u8* data, u64 i) {
  switch (type) {
    case 0: return (double)stored<signed char>(data, i);
    case 1: return (double)stored<u8>(data, i);
    case 2: return (double)stored<short>(data, i);
    case 3: return (double)stored<u16>(data, i);
    case 4: return (double)stored<int>(data, i);
    case 5: return (double)stored<u32>(data, i);
    case 6: return (double)stored<long long>(data, i);
    case 7: return (double)stored<u64>(data, i);
    case 8: return stored<double>(data, i);
    case 9: return (double)stored<float>(data, i);
    case 10: return decoded<5, 10, false>(stored<u16>(data, i));
    case 11: return (double)__uint_as_float((u32)stored<u16>(data, i) << 16);
    case 12: return decoded<4, 3, true>(stored<u8>(data, i));
    default: return decoded<5, 2, false>(stored<u8>(data, i));
  }
}

struct Found { u64 count, first; double largest_error; };

// Elements [begin, end).
__device__ void look(int type, int size, const u8* got, const u8* expected, u64 begin, u64 end, double relative,
                     double absolute, Found& found) {
  const double infinite = __longlong_as_double(0x7FF0000000000000ll);
  for (u64 i = begin; i < end; ++i) {
    const double g = number(type, got, i);
    const double e = number(type, expected, i);
    double error = g == e || (g != g && e != e) ? 0.0 : fabs(g - e);
    if (error != error) error = infinite;
    if (type < 8 && error == 0.0) {
      for (int b = 0; b < size; ++b) {
        if (got[i * size + b] != expected[i * size + b]) error = 1.0;  // lost in rounding
      }
    }
    found.largest_error = fmax(found.largest_error, error);
    if (error != 0.0 && !(error < infinite && error <= absolute + relative * fabs(e))) {
      ++found.count;
      found.first = i < found.first ? i : found.first;
    }
  }
}

extern "C" __global__ void contextual_compare(const u8* got, const u8* expected, u64 count, int type, int size,
                                              double relative, double absolute, Differences* result) {
  Found found = {0, ~0ull, 0.0};
  const u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
  const u64 threads = gridDim.x * (u64)blockDim.x;
  const u64 each = 16 / size;
  const bool aligned = (((u64)got | (u64)expected) & 15) == 0;
  const u64 wide = aligned ? count / each : 0;
  for (u64 w = thread; w < wide; w += threads) {
    const uint4 g = ((const uint4*)got)[w];
    const uint4 e = ((const uint4*)expected)[w];
    if (g.x != e.x || g.y != e.y || g.z != e.z || g.w != e.w) {
      look(type, size, got, expected, w * each, (w + 1) * each, relative, absolute, found);
    }
  }
  for (u64 i = wide * each + thread; i < count; i += threads) {
    look(type, size, got, expected, i, i + 1, relative, absolute, found);
  }
  if (found.count > 0) {
    atomicAdd(&result->count, found.count);
    atomicMin(&result->first, found.first);
  }
  // Numbers from zero on are in the order of their bits. Most threads need not wait for the others.
  const u64 error = (u64)__double_as_longlong(found.largest_error);
  if (error > *(volatile u64*)&result->largest_error) {
    atomicMax(&result->largest_error, error);
  }
}

__device__ u64 bits_of(int size, const u8* data, u64 i) {
  return size == 1 ? stored<u8>(data, i) : size == 2 ? stored<u16>(data, i)
       : size == 4 ? stored<u32>(data, i) : stored<u64>(data, i);
}

// So that the order of what is added up does not matter.
__device__ u64 mixed(u64 bits, u64 place) {
  u64 x = (bits ^ (place * 0x9E3779B97F4A7C15ull)) * 0xFF51AFD7ED558CCDull;
  x = (x ^ (x >> 32)) * 0xC4CEB9FE1A85EC53ull;
  return x ^ (x >> 29);
}

struct BlockSum { double sum, magnitude; u64 hash, not_finite, nan_count, filled_count; };

// One block of threads, a power of two of them and THREADS at most, for each block of elements.
extern "C" __global__ void contextual_sums(const u8* data, u64 count, int type, int size, u64 block_elements,
                                           BlockSum* sums) {
  __shared__ BlockSum parts[THREADS];
  const double infinite = __longlong_as_double(0x7FF0000000000000ll);
  const u64 begin = blockIdx.x * block_elements;
  const u64 end = begin + block_elements < count ? begin + block_elements : count;
  const u64 all_set = ~0ull >> (64 - 8 * size);
  BlockSum part = {0.0, 0.0, 0, 0, 0, 0};
  for (u64 i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = number(type, data, i);
    const u64 bits = bits_of(size, data, i);
    const bool finite = fabs(value) < infinite;
    part.sum += finite ? value : 0.0;
    part.magnitude += finite ? fabs(value) : 0.0;
    part.hash += mixed(bits, i);
    part.not_finite += finite ? 0 : 1;
    part.nan_count += value != value ? 1 : 0;
    part.filled_count += bits == all_set ? 1 : 0;
  }
  parts[threadIdx.x] = part;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      parts[threadIdx.x].sum += parts[threadIdx.x + half].sum;
      parts[threadIdx.x].magnitude += parts[threadIdx.x + half].magnitude;
      parts[threadIdx.x].hash += parts[threadIdx.x + half].hash;
      parts[threadIdx.x].not_finite += parts[threadIdx.x + half].not_finite;
      parts[threadIdx.x].nan_count += parts[threadIdx.x + half].nan_count;
      parts[threadIdx.x].filled_count += parts[threadIdx.x + half].filled_count;
    }
  }
  if (threadIdx.x == 0) { sums[blockIdx.x] = parts[0]; }
}
)";

constexpr unsigned threads_of_block = 256;

/// As the kernel has them.
struct DeviceDifferences {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t largest_error = 0;
};

/// What is loaded in a context, and stays there.
struct LoadedComparison {
  CUfunction compare = nullptr;
  CUfunction sums = nullptr;
  CUdeviceptr result = 0;  ///< of a comparison
};

LoadedComparison load_comparison() {
  static const Compiler* const compiler =
      new Compiler(CudaSource::text("contextual_compare.cu", source_text), cache_directory());
  const int capability = DeviceLimits::of(current_device()).compute_capability;
  const Cubin cubin = compiler->compile(
      {.function = "contextual_compare", .defines = {{"THREADS", std::to_string(threads_of_block)}}},
      {capability});
  LoadedComparison loaded;
  CUmodule module = nullptr;
  CONTEXTUAL_CU(cuModuleLoadData(&module, cubin.code.data()));
  CUresult code = driver().cuModuleGetFunction(&loaded.compare, module, cubin.lowered_name.c_str());
  code = code == CUDA_SUCCESS ? driver().cuModuleGetFunction(&loaded.sums, module, "contextual_sums") : code;
  code = code == CUDA_SUCCESS ? driver().cuFuncLoad(loaded.compare) : code;
  code = code == CUDA_SUCCESS ? driver().cuFuncLoad(loaded.sums) : code;
  code = code == CUDA_SUCCESS ? driver().cuMemAlloc(&loaded.result, sizeof(DeviceDifferences)) : code;
  if (code != CUDA_SUCCESS) {
    driver().cuModuleUnload(module);
    check(code, "loading the kernel that compares outputs");
  }
  return loaded;
}

/// One comparison at a time: it has one place for its result in each context.
std::mutex& comparison_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

const LoadedComparison& loaded_comparison() {
  static auto* const known = new std::map<CUcontext, LoadedComparison>;
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  const auto found = known->find(context);
  return found != known->end() ? found->second : known->emplace(context, load_comparison()).first->second;
}

}  // namespace

detail::Differences compare_on_device(const void* data, const void* expected, std::size_t count,
                                      ElementType type, const detail::Tolerance& tolerance, CUstream stream) {
  constexpr std::uint64_t most_blocks = 1024;
  constexpr std::uint64_t bytes_of_block = std::uint64_t{16} * threads_of_block;
  const std::lock_guard lock(comparison_mutex());
  const LoadedComparison& kernel = loaded_comparison();
  DeviceDifferences found;
  CONTEXTUAL_CU(cuMemcpyHtoDAsync(kernel.result, &found, sizeof(found), stream));
  auto elements = std::uint64_t{count};
  auto type_number = static_cast<int>(type);
  auto size = static_cast<int>(size_of(type));
  double relative = tolerance.relative;
  double absolute = tolerance.absolute;
  CUdeviceptr result = kernel.result;
  std::array<void*, 8> parameters{&data, &expected, &elements, &type_number,
                                  &size, &relative, &absolute, &result};
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>(count * size_of(type) / bytes_of_block, 1, most_blocks);
  const detail::CudaLaunchConfig launch(
      CudaLayout{.grid = {static_cast<unsigned>(blocks)}, .block = {threads_of_block}}, stream);
  CONTEXTUAL_CU(cuLaunchKernelEx(launch.get(), kernel.compare, parameters.data(), nullptr));
  CONTEXTUAL_CU(cuMemcpyDtoHAsync(&found, kernel.result, sizeof(found), stream));
  wait_for_own_stream(stream);
  return {found.count, found.count == 0 ? 0 : found.first, std::bit_cast<double>(found.largest_error)};
}

void sum_on_device(const void* data, std::size_t count, ElementType type, std::size_t block_elements,
                   detail::BlockSum* sums, CUstream stream) {
  const std::lock_guard lock(comparison_mutex());
  const LoadedComparison& kernel = loaded_comparison();
  auto elements = std::uint64_t{count};
  auto type_number = static_cast<int>(type);
  auto size = static_cast<int>(size_of(type));
  auto each = std::uint64_t{block_elements};
  std::array<void*, 6> parameters{&data, &elements, &type_number, &size, &each, &sums};
  const auto blocks = static_cast<unsigned>((count + block_elements - 1) / block_elements);
  const detail::CudaLaunchConfig launch(CudaLayout{.grid = {blocks}, .block = {threads_of_block}}, stream);
  CONTEXTUAL_CU(cuLaunchKernelEx(launch.get(), kernel.sums, parameters.data(), nullptr));
  wait_for_own_stream(stream);
}

}  // namespace contextual::cuda
