#pragma once

/// \file
/// Symbol visibility. Everything is hidden by default; what is public carries CONTEXTUAL_API.
///
/// One copy of the library serves the whole process: a region opened in the application must be seen by
/// a kernel in a plugin. So public symbols and the type information of exceptions are exported, also when
/// the including translation unit is compiled with -fvisibility=hidden.

#define CONTEXTUAL_API __attribute__((visibility("default")))
