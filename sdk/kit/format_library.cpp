// SPDX-License-Identifier: MIT
// The one compiled copy of fmt in host, packs and tests. Debian has no static libfmt, the shared
// one brings the shared C++ run time back into the host, and compiling it in every file (its
// header-only form) made each of them three times as slow to compile.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale &locale);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char *, const char *);

} // namespace detail

FMT_END_NAMESPACE
