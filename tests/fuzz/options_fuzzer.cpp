// A key and a value, split at the first '=': set, or refused with Status::invalid_argument.
#include "core/error.hpp"
#include "core/options.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view content(reinterpret_cast<const char *>(data), size);
    const auto equals = std::min(content.find('='), content.size());
    hpart::Options options;
    try {
        options.set_text(content.substr(0, equals), content.substr(std::min(equals + 1, content.size())));
        if (!options.is_set(content.substr(0, equals))) std::abort();
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::invalid_argument) std::abort();
    }
    return 0;
}
