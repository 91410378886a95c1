// The frame of the fuzzers: a file of one defines `fuzz`.
#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

// Looks at what is made of the content, and aborts where that breaks a promise.
void fuzz(std::string_view content);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz({reinterpret_cast<const char *>(data), size});
    return 0;
}

// The action ends well, or with one of the statuses.
template <typename Action> void done_or_refused(std::initializer_list<hpart::Status> statuses, const Action &action)
{
    try {
        action();
    } catch (const hpart::Error &error) {
        if (std::find(statuses.begin(), statuses.end(), error.status()) == statuses.end()) std::abort();
    }
}

// Text that is read is written, and reads back the same.
template <typename Parse, typename Format>
void read_back(std::string_view content, const Parse &parse, const Format &format)
{
    done_or_refused({hpart::Status::format}, [&] {
        const auto written = format(parse(content, "fuzz"));
        if (format(parse(written, "again")) != written) std::abort();
    });
}
