// hpart for C++17 and later: handles that free themselves, exceptions, containers and callables over hpart.h. docs/reference/cpp.md
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions and methods have the names of hpart.h, which is their manual: units, options, report keys and statuses. Every call that
// fails there throws hpart::error here. An exception thrown by a callable leaves the call that ran it, unchanged.
#ifndef HPART_HPP
#define HPART_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "hpart.hpp needs C++17: compile with -std=c++17 or later, or use hpart.h"
#endif

#include "hpart/adaptive.hpp"
#include "hpart/device.hpp"
#include "hpart/team.hpp"

#endif
