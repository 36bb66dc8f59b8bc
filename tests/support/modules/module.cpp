/// \file
/// A shared library that stands for a program: its launcher does nothing, and differs by
/// CONTEXTUAL_TEST_MODULE.

namespace {

volatile int launched = 0;

}  // namespace

extern "C" void contextual_test_launch(const void* /*config*/, int* /*key*/) {
  launched = CONTEXTUAL_TEST_MODULE;
}
