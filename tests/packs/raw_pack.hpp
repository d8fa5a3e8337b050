// SPDX-License-Identifier: MIT
// A pack without the wrapper, for vices that the wrapper makes impossible: RAW_PACK(Class) needs
// Class(const packhost_host *) and packhost_status Class::call(packhost_call *, const
// packhost_request &), behind no wall.
#pragma once

#include <packhost/pack.hpp>

#include <string_view>

namespace raw {

template <class C>
packhost_status open(const packhost_host *host, packhost_str, packhost_pack **out) {
  *out = reinterpret_cast<packhost_pack *>(new C(host));
  return PACKHOST_OK;
}

template <class C>
packhost_status call(packhost_pack *pack, packhost_call *call, const packhost_request *request) {
  return reinterpret_cast<C *>(pack)->call(call, *request);
}

template <class C>
void shutdown(packhost_pack *pack) {
  delete reinterpret_cast<C *>(pack);
}

inline packhost_part text_part(std::string_view text, std::uint32_t type = PACKHOST_PART_TEXT) {
  packhost_part part{};
  part.struct_size = static_cast<std::uint32_t>(sizeof(part));
  part.type = type;
  part.data = {text.data(), text.size(), nullptr, nullptr};
  return part;
}

} // namespace raw

#define RAW_ENTRY(Class, major, needs_minor)                                                       \
  extern "C" PACKHOST_EXPORT constexpr packhost_entry packhost_pack_v1 = {                         \
      sizeof(packhost_entry),                                                                      \
      major,                                                                                       \
      PACKHOST_ABI_MINOR,                                                                          \
      needs_minor,                                                                                 \
      packhost_manifest_text,                                                                      \
      sizeof(packhost_manifest_text) - 1,                                                          \
      nullptr,                                                                                     \
      &raw::open<Class>,                                                                           \
      &raw::call<Class>,                                                                           \
      nullptr,                                                                                     \
      &raw::shutdown<Class>,                                                                       \
      nullptr};

#define RAW_PACK(Class) RAW_ENTRY(Class, PACKHOST_ABI_MAJOR, 0)
