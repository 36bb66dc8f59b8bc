#include "cuda_three_kernels.hpp"

#include <contextual/kernels/cuda/half_bits.hpp>
#include <contextual/timer.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace contextual::benchmarks {
namespace {

using kernels::cuda::from_bf16;
using kernels::cuda::to_bf16;

constexpr const char* matmul_source =
#include "embedded/cuda_matmul.cu.inc"
    ;
constexpr const char* gate_source =
#include "embedded/cuda_gate.cu.inc"
    ;
constexpr const char* row_norm_source =
#include "embedded/cuda_row_norm.cu.inc"
    ;

/// Of the values that bf16 holds.
std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::vector<float> values(count);
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::generate(values.begin(), values.end(), [&] { return from_bf16(to_bf16(distribution(random))); });
  return values;
}

std::vector<Bits> bits_of(const std::vector<float>& values) {
  std::vector<Bits> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(), to_bf16);
  return bits;
}

std::pair<std::string, std::string> define(const char* name, int value) {
  return {name, std::to_string(value)};
}

unsigned blocks_for(long long elements, int a_block) {
  return static_cast<unsigned>((elements + a_block - 1) / a_block);
}

template <typename C>
std::vector<ConfigSpace<C>> one_by_one(const ConfigSpace<C>& space,
                                       std::initializer_list<detail::SpaceParameter<C>> parameters) {
  std::vector<ConfigSpace<C>> spaces;
  for (const C& config : space.configs()) {
    spaces.push_back(ConfigSpace<C>::list(parameters, {config}));
  }
  return spaces;
}

/// 0, 1, 2, ... in an order that is drawn anew each time, the same in every process.
class ShuffledOrder {
 public:
  explicit ShuffledOrder(std::size_t count) : order_(count) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  const std::vector<std::size_t>& next() {
    std::shuffle(order_.begin(), order_.end(), random_);
    return order_;
  }

 private:
  std::vector<std::size_t> order_;
  std::minstd_rand random_{1};
};

}  // namespace

ConfigSpace<MatmulConfig> matmul_space() {
  return {{"BLOCK_M", &MatmulConfig::block_m, {64, 128}},
          {"BLOCK_N", &MatmulConfig::block_n, {64, 128}},
          {"BLOCK_K", &MatmulConfig::block_k, {32, 64}},
          {"STAGES", &MatmulConfig::stages, {2, 3, 4, 5}}};
}

ConfigSpace<GateConfig> gate_space() {
  return {{"BLOCK", &GateConfig::block, {128, 256, 512, 1024}},
          {"PER_THREAD", &GateConfig::per_thread, {1, 2, 4}}};
}

ConfigSpace<RowNormConfig> row_norm_space() {
  return {{"BLOCK", &RowNormConfig::block, {64, 128, 256, 512}}, {"LOADS", &RowNormConfig::loads, {1, 2, 4}}};
}

std::unique_ptr<Matmul> make_matmul(const std::string& name, ConfigSpace<MatmulConfig> space) {
  Matmul::Definition definition;
  definition.source = CudaSource::text("cuda_matmul.cu", matmul_source);
  definition.variant = [](const MatmulConfig& c) {
    return CudaVariant{.function = "matmul",
                       .defines = {define("BLOCK_M", c.block_m), define("BLOCK_N", c.block_n),
                                   define("BLOCK_K", c.block_k), define("STAGES", c.stages)}};
  };
  definition.layout = [](const MatmulConfig& c, Bits* const&, const Bits* const&, const Bits* const&,
                         const int& m, const int& n, const int&) {
    constexpr int padding = 8;
    const int stage_elements = (c.block_m + c.block_n) * (c.block_k + padding);
    return CudaLayout{
        .grid = {static_cast<unsigned>(n / c.block_n), static_cast<unsigned>(m / c.block_m)},
        .block = {128},
        .dynamic_shared_bytes = static_cast<unsigned>(c.stages * stage_elements) * unsigned{sizeof(Bits)}};
  };
  definition.parameters = [](CudaParameters& parameters, const MatmulConfig&, Bits* const& c,
                             const Bits* const& a, const Bits* const& b, const int&, const int& n,
                             const int& k) {
    parameters.add(c);
    parameters.add(a);
    parameters.add(b);
    parameters.add(n);
    parameters.add(k);
  };
  return std::make_unique<Matmul>(
      name, std::move(space),
      [](Bits* const&, const Bits* const&, const Bits* const&, const int& m, const int& n, const int& k) {
        return make_key(m, n, k);
      },
      std::move(definition));
}

std::unique_ptr<Gate> make_gate(const std::string& name, ConfigSpace<GateConfig> space) {
  Gate::Definition definition;
  definition.source = CudaSource::text("cuda_gate.cu", gate_source);
  definition.variant = [](const GateConfig& c) {
    return CudaVariant{.function = "gate", .defines = {define("PER_THREAD", c.per_thread)}};
  };
  definition.layout = [](const GateConfig& c, float* const&, const Bits* const&, const float* const&,
                         const long long& n) {
    return CudaLayout{.grid = {blocks_for(n / 4, c.block * c.per_thread)},
                      .block = {static_cast<unsigned>(c.block)}};
  };
  return std::make_unique<Gate>(
      name, std::move(space),
      [](float* const&, const Bits* const&, const float* const&, const long long& n) { return make_key(n); },
      std::move(definition));
}

std::unique_ptr<RowNorm> make_row_norm(const std::string& name, ConfigSpace<RowNormConfig> space) {
  RowNorm::Definition definition;
  definition.source = CudaSource::text("cuda_row_norm.cu", row_norm_source);
  definition.variant = [](const RowNormConfig& c) {
    return CudaVariant{.function = "row_norm",
                       .defines = {define("BLOCK", c.block), define("LOADS", c.loads)}};
  };
  definition.layout = [](const RowNormConfig& c, float* const&, const float* const&, const int& rows,
                         const int&) {
    return CudaLayout{.grid = {static_cast<unsigned>(rows)}, .block = {static_cast<unsigned>(c.block)}};
  };
  definition.parameters = [](CudaParameters& parameters, const RowNormConfig&, float* const& norms,
                             const float* const& rows, const int&, const int& columns) {
    parameters.add(norms);
    parameters.add(rows);
    parameters.add(columns);
  };
  return std::make_unique<RowNorm>(
      name, std::move(space),
      [](float* const&, const float* const&, const int& rows, const int& columns) {
        return make_key(rows, columns);
      },
      std::move(definition));
}

ThreeBuffers::ThreeBuffers()
    : a_values_(random_values(std::size_t{m} * k, 1)),
      b_values_(random_values(std::size_t{n} * k, 2)),
      a_(bits_of(a_values_)),
      b_(bits_of(b_values_)),
      scale_(random_values(std::size_t{m} * n, 3)),
      c_(std::size_t{m} * n),
      gated_(std::size_t{m} * n),
      norms_(m) {}

void ThreeBuffers::launch(Matmul& matmul, cudaStream_t stream) const {
  matmul(stream, c_.get(), a_.get(), b_.get(), m, n, k);
}
void ThreeBuffers::launch(Gate& gate, cudaStream_t stream) const {
  gate(stream, gated_.get(), c_.get(), scale_.get(), static_cast<long long>(m) * n);
}
void ThreeBuffers::launch(RowNorm& row_norm, cudaStream_t stream) const {
  row_norm(stream, norms_.get(), gated_.get(), m, n);
}

void ThreeBuffers::poison() const {
  CONTEXTUAL_CHECKED(cudaMemset(c_.get(), 0xff, c_.size() * sizeof(Bits)));
  CONTEXTUAL_CHECKED(cudaMemset(gated_.get(), 0xff, gated_.size() * sizeof(float)));
  CONTEXTUAL_CHECKED(cudaMemset(norms_.get(), 0xff, norms_.size() * sizeof(float)));
  CONTEXTUAL_CHECKED(cudaDeviceSynchronize());  // the region's stream does not wait for the default one
}

double ThreeBuffers::error() const {
  double worst = 0;
  const auto see = [&](double value, double reference, double size) {
    const double error = std::abs(value - reference) / size;
    worst = error <= worst ? worst : error;  // NaN is kept
  };
  const double size_of_c = std::sqrt(k) / 3;  // the spread of a sum of k products of such values
  for (const std::size_t r : {std::size_t{0}, std::size_t{m} / 2 + 17, std::size_t{m} - 1}) {
    const std::vector<Bits> c = c_.download(r * n, n);
    const std::vector<float> gated = gated_.download(r * n, n);
    const std::vector<float> scale = scale_.download(r * n, n);
    double squares = 0;
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        sum += static_cast<double>(a_values_[r * k + i]) * b_values_[column * k + i];
      }
      const double x = from_bf16(c[column]);
      see(x, sum, size_of_c + std::abs(sum));
      see(gated[column], x / (1 + std::exp(-x)) * scale[column], 1 + std::abs(x));
      squares += static_cast<double>(gated[column]) * gated[column];
    }
    const double norm = 1 / std::sqrt(squares / n);
    see(norms_.download(r, 1)[0], norm, norm);
  }
  return worst;
}

ThreeKernels::ThreeKernels(const std::string& prefix)
    : matmul(make_matmul(prefix + "matmul", matmul_space())),
      gate(make_gate(prefix + "gate", gate_space())),
      row_norm(make_row_norm(prefix + "row_norm", row_norm_space())) {}

FixedKernels::FixedKernels() {
  const auto add = [](auto& kernels, auto make, const char* name, const auto& spaces) {
    for (const auto& space : spaces) {
      kernels.push_back(make("fixed " + std::string(name) + " " + std::to_string(kernels.size()), space));
      kernels.back()->load();
    }
  };
  add(matmul_, make_matmul, "matmul",
      one_by_one<MatmulConfig>(matmul_space(), {{"BLOCK_M", &MatmulConfig::block_m, {64}},
                                                {"BLOCK_N", &MatmulConfig::block_n, {64}},
                                                {"BLOCK_K", &MatmulConfig::block_k, {32}},
                                                {"STAGES", &MatmulConfig::stages, {2}}}));
  add(gate_, make_gate, "gate",
      one_by_one<GateConfig>(gate_space(), {{"BLOCK", &GateConfig::block, {128}},
                                            {"PER_THREAD", &GateConfig::per_thread, {1}}}));
  add(row_norm_, make_row_norm, "row_norm",
      one_by_one<RowNormConfig>(
          row_norm_space(), {{"BLOCK", &RowNormConfig::block, {64}}, {"LOADS", &RowNormConfig::loads, {1}}}));
}

void FixedKernels::launch(const ThreeChoices& choices, const ThreeBuffers& buffers,
                          cudaStream_t stream) const {
  const auto nothing = [](std::size_t) {};
  launch(choices, buffers, stream, nothing, nothing);
}

void FixedKernels::launch(const ThreeChoices& choices, const ThreeBuffers& buffers, cudaStream_t stream,
                          const std::function<void(std::size_t)>& before,
                          const std::function<void(std::size_t)>& after) const {
  before(0);
  buffers.launch(*matmul_[choices[0]], stream);
  after(0);
  before(1);
  buffers.launch(*gate_[choices[1]], stream);
  after(1);
  before(2);
  buffers.launch(*row_norm_[choices[2]], stream);
  after(2);
}

std::vector<std::vector<double>> interleaved_times(const FixedKernels& kernels, const ThreeBuffers& buffers,
                                                   const std::vector<ThreeChoices>& sets, int rounds) {
  const Stream stream;
  const std::vector<Event> begins(sets.size());
  const std::vector<Event> ends(sets.size());
  std::vector<std::vector<double>> times(sets.size());
  ShuffledOrder order(sets.size());
  for (int round = 0; round <= rounds; ++round) {
    for (const std::size_t set : order.next()) {
      begins[set].record(stream);
      kernels.launch(sets[set], buffers, stream);
      ends[set].record(stream);
    }
    stream.wait();
    for (std::size_t set = 0; round > 0 && set < sets.size(); ++set) {
      times[set].push_back(ends[set].us_since(begins[set]));
    }
  }
  return times;
}

std::vector<OwnTimes> interleaved_own_times(const FixedKernels& kernels, const ThreeBuffers& buffers,
                                            const std::vector<ThreeChoices>& sets, int rounds) {
  const Stream stream;
  const std::unique_ptr<Timer> timer = cuda_cupti_timer();
  std::vector<OwnTimes> times(sets.size());
  ShuffledOrder order(sets.size());
  LaunchInfo info;
  info.on_stream = true;
  for (int round = 0; round <= rounds; ++round) {
    std::vector<IterationTiming> iterations(sets.size());
    std::vector<LaunchTiming> launches(3 * sets.size());
    for (const std::size_t set : order.next()) {
      const auto launch = [&, set](std::size_t kernel) -> LaunchNote& {
        return launches[3 * set + kernel].note;
      };
      timer->begin_iteration(round, iterations[set].note);
      kernels.launch(
          sets[set], buffers, stream, [&](std::size_t kernel) { timer->begin_launch(info, launch(kernel)); },
          [&](std::size_t kernel) { timer->end_launch(info, launch(kernel)); });
      timer->end_iteration(round, iterations[set].note);
    }
    timer->settle(launches, iterations, Deadline::after(std::chrono::seconds(10)));
    for (std::size_t i = 0; round > 0 && i < launches.size(); ++i) {
      if (launches[i].spans.size() != 1) {
        throw std::runtime_error("a launch has " + std::to_string(launches[i].spans.size()) + " spans");
      }
      const Span& span = launches[i].spans.front();
      times[i / 3][i % 3].push_back(static_cast<double>(span.end_ns - span.begin_ns) / 1e3);
    }
  }
  return times;
}

}  // namespace contextual::benchmarks
