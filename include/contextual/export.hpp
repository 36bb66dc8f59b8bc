#pragma once

/// \file
/// Symbol visibility. Symbols are hidden by default; public ones carry CONTEXTUAL_API.
///
/// One copy of the library serves the whole process: a kernel in a plugin must see a region that the
/// application opened. Public symbols and the type information of exceptions are therefore exported, even if
/// the including translation unit is compiled with -fvisibility=hidden.

#define CONTEXTUAL_API __attribute__((visibility("default")))
