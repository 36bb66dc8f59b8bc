#pragma once

/// \file
/// The compiler's messages for arguments of a tunable kernel that do not fit its launcher. `C` is the
/// launcher's config type, `Args` are its other arguments.

namespace contextual::detail {

template <bool Fits>
struct KeyFits {
  static_assert(Fits,
                "the key function of a tunable kernel takes what the launcher takes after the config, as "
                "Key(const Args&...), and returns a contextual::Key: see make_key, single_problem");
};
template <bool Fits>
struct LauncherFits {
  static_assert(Fits,
                "the launcher of a tunable kernel is called as R(const C&, Args&...): its arguments reach it "
                "as lvalues, since a launch may be repeated");
};
template <bool Fits>
struct SpaceFits {
  static_assert(
      Fits, "the second argument of a tunable kernel is a ConfigSpace<C> of the launcher's config type C");
};
template <bool Fits>
struct LoadFits {
  static_assert(Fits, "KernelOptions::load is called as void(const C&) or as void(const C&, const Key&)");
};
template <bool Fits>
struct KeepFits {
  static_assert(Fits,
                "KernelOptions::keep is called as bool(const C&, const Args&...), with what the launcher "
                "takes; true: the config is a candidate");
};
template <bool Fits>
struct HookFits {
  static_assert(
      Fits, "KernelOptions::before_launch and after_launch are called as void(const LaunchInfo&, Args&...)");
};
template <bool Fits>
struct AlternativeFits {
  static_assert(Fits,
                "an alternative of Alternatives<R(Args...)> is called as R(Args&...): its arguments reach it "
                "as lvalues, since a call may be repeated");
};
template <bool Fits>
struct AlternativeKeepFits {
  static_assert(Fits, "the `keep` of an alternative is called as bool(const Args&...)");
};
template <bool Fits>
struct ResetFits {
  static_assert(Fits, "KernelOptions::reset is called as void(Args&...), without the config");
};
template <bool Fits>
struct FunctionKeepFits {
  static_assert(Fits,
                "FunctionOptions::keep is called as bool(const C&, const Args&...), with what the function "
                "takes; true: the config is a candidate");
};
template <bool Fits>
struct BeforeEachFits {
  static_assert(Fits, "FunctionOptions::before_each is called as void(Args&...), without the config");
};
template <bool Fits>
struct RestoreFits {
  static_assert(Fits,
                "FunctionOptions::restore is called as std::vector<Restored>(Args&...), without the config");
};
template <bool Fits>
struct OutputsFit {
  static_assert(Fits,
                "FunctionOptions::outputs is called as std::vector<Output>(Args&...), without the config");
};
template <bool Fits>
struct CheckFits {
  static_assert(Fits,
                "KernelOptions::check is called as bool(const C&, Args&...), with what the launcher takes; "
                "true: the result is right");
};
template <bool Fits>
struct WorkFits {
  static_assert(Fits,
                "KernelOptions::work is called as KernelWork(const Args&...), with what the launcher takes, "
                "without the config");
};

}  // namespace contextual::detail
