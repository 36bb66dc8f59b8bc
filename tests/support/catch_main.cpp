/// \file
/// `main` of the unit tests where the installed Catch2 (version 2) brings none. Unused with Catch2 3.

#define CATCH_CONFIG_MAIN
#include "support/catch.hpp"
