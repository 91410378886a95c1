// Many short rows of a test in few lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace support
{

inline std::vector<std::string> split(const std::string &rows, std::string_view separator = " | ")
{
    std::vector<std::string> all;
    for (std::size_t begin = 0;;) {
        const auto end = rows.find(separator, begin);
        all.push_back(rows.substr(begin, end - begin));
        if (end == std::string::npos) return all;
        begin = end + separator.size();
    }
}

} // namespace support
