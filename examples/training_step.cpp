/// \file
/// A program that trains: its step changes the weights that it reads, so that a tuner which runs the step
/// again and again would train on one batch some hundred times. `restore` brings the weights back before each
/// run, `outputs` says what must come out right. Step 0 is tuned, and the training goes on from there.

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>
#include <contextual/output.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <random>
#include <vector>

struct Block {
  std::size_t rows = 1;  // what is used before anything is tuned
};

/// Least squares: weights with which `samples x weights` is `targets`.
struct Model {
  std::size_t sample_count = 0;
  std::size_t width = 0;
  std::vector<float> samples;  ///< one row each
  std::vector<float> targets;
  std::vector<float> weights;
  std::vector<float> errors;    ///< of each sample, before the step
  std::vector<float> gradient;  ///< of the step

  Model(std::size_t sample_count, std::size_t width)
      : sample_count(sample_count),
        width(width),
        samples(sample_count * width),
        targets(sample_count),
        weights(width),
        errors(sample_count),
        gradient(width) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::generate(samples.begin(), samples.end(), [&] { return normal(random); });
    for (std::size_t i = 0; i < sample_count; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        targets[i] += samples[i * width + j] * static_cast<float>(j % 3);
      }
    }
  }

  double loss() const {
    double sum = 0;
    for (const float error : errors) {
      sum += static_cast<double>(error) * error;
    }
    return sum / static_cast<double>(sample_count);
  }
};

void predict(const Block& block, Model& model) {
  for (std::size_t begin = 0; begin < model.sample_count; begin += block.rows) {
    const std::size_t end = std::min(model.sample_count, begin + block.rows);
    for (std::size_t i = begin; i < end; ++i) {
      model.errors[i] = -model.targets[i];
    }
    for (std::size_t j = 0; j < model.width; ++j) {
      for (std::size_t i = begin; i < end; ++i) {
        model.errors[i] += model.samples[i * model.width + j] * model.weights[j];
      }
    }
  }
}

/// Changes the weights in place: what a second run begins with is not what the first one began with.
void descend(const Block& block, Model& model) {
  std::fill(model.gradient.begin(), model.gradient.end(), 0.0F);
  for (std::size_t begin = 0; begin < model.sample_count; begin += block.rows) {
    const std::size_t end = std::min(model.sample_count, begin + block.rows);
    for (std::size_t j = 0; j < model.width; ++j) {
      for (std::size_t i = begin; i < end; ++i) {
        model.gradient[j] += model.samples[i * model.width + j] * model.errors[i];
      }
    }
  }
  constexpr float rate = 0.5F;
  for (std::size_t j = 0; j < model.width; ++j) {
    model.weights[j] -= rate * model.gradient[j] / static_cast<float>(model.sample_count);
  }
}

int main() try {
  const contextual::ConfigSpace<Block> blocks{{"ROWS", &Block::rows, {1, 4, 16, 64, 256}}};
  const auto key = [](const Model& model) { return contextual::make_key(model.sample_count, model.width); };
  contextual::TunableKernel tuned_predict{"predict", blocks, key, predict};
  contextual::TunableKernel tuned_descend{"descend", blocks, key, descend};

  constexpr int steps = 20;
  Model model(2048, 256);
  int runs = 0;
  const auto step = [&] {
    ++runs;
    tuned_predict(model);
    tuned_descend(model);
  };

  // Step 0 runs again and again, each time with the weights of the beginning. The errors and the weights that
  // it leaves are those of one step, and no config is chosen with which they are others.
  contextual::ContextualAutotuner tuner{{.search = contextual::SearchLevel::quick}};
  tuner.run("training_step", step,
            {.outputs = std::vector{contextual::output("errors", model.errors),
                                    contextual::output("weights", model.weights)},
             .restore = std::vector{contextual::restored("weights", model.weights)}});
  std::printf("step 0, run %d times: loss %.6f\n", runs, model.loss());
  for (int i = 1; i < steps; ++i) {
    step();  // with what was chosen
  }
  std::printf("step %d: loss %.6f\n", steps - 1, model.loss());
  const contextual::Report report = tuner.report();
  if (const contextual::RegionReport* region = report.find("training_step")) {
    std::cout << region->to_string();
  }

  Model untuned(model.sample_count, model.width);
  for (int i = 0; i < steps; ++i) {
    predict({}, untuned);
    descend({}, untuned);
  }
  const double difference = std::abs(model.loss() - untuned.loss());
  std::printf("without tuning: loss %.6f\n", untuned.loss());
  if (!(difference <= 1e-3 * untuned.loss() + 1e-6)) {
    std::printf("WRONG: tuning has changed the training\n");
    return 1;
  }
} catch (const std::exception& error) {
  std::cerr << "training_step: " << error.what() << "\n";
  return 1;
}
