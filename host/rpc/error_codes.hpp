// SPDX-License-Identifier: MIT
// JSON-RPC and MCP error numbers. protocol.md section 4 says who may see which.
#pragma once

namespace packhost::rpc {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;   // legacy revisions only
inline constexpr int kUnsupportedVersion = -32022; // revisions with a version on each request

} // namespace packhost::rpc
