// Options of calls.
#pragma once

#include "core/options.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace support
{

// These keys with these values, given as texts.
template <typename Settings = std::initializer_list<std::pair<std::string_view, std::string_view>>>
hpart::Options options_of(const Settings &settings)
{
    hpart::Options options;
    for (const auto &[key, value] : settings) options.set_text(key, value);
    return options;
}

} // namespace support
