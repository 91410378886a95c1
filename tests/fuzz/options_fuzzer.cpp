// A key and a value, split at the first '=': set, or refused with Status::invalid_argument.
#include "core/options.hpp"
#include "fuzz.hpp"

void fuzz(std::string_view content)
{
    const auto equals = std::min(content.find('='), content.size());
    hpart::Options options;
    done_or_refused({hpart::Status::invalid_argument}, [&] {
        options.set_text(content.substr(0, equals), content.substr(std::min(equals + 1, content.size())));
        if (!options.is_set(content.substr(0, equals))) std::abort();
    });
}
