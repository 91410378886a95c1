#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

#include <algorithm>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

const Family &checked_family(const hpart_family *family)
{
    require(family, "family");
    return family->value;
}

BetweenSlices between_slices(const Options &options)
{
    const auto name = options.get_text("interpolate");
    if (name == "none") return BetweenSlices::refuse;
    if (name == "linear") return BetweenSlices::linear;
    fail_argument("option 'interpolate' is ", in_quotes(name), "; for a slice it must be none or linear");
}

} // namespace

extern "C" {

hpart_status hpart_family_create(hpart_family **family)
{
    return guarded([&] {
        require(family, "family");
        *family = new hpart_family{};
    });
}

void hpart_family_destroy(hpart_family *family) { delete family; }

hpart_status hpart_family_add(hpart_family *family, int64_t parameter, const hpart_platform *platform)
{
    return guarded([&] {
        require(family, "family");
        require(platform, "platform");
        family->value.add(parameter, platform->value);
    });
}

int64_t hpart_family_count(const hpart_family *family)
{
    return family == nullptr ? -1 : static_cast<std::int64_t>(family->value.slices().size());
}

hpart_status hpart_family_get_parameters(const hpart_family *family, int64_t *parameters, int64_t capacity,
                                         int64_t *needed)
{
    return guarded([&] {
        const auto &slices = checked_family(family).slices();
        if (!room_for(static_cast<std::int64_t>(slices.size()), parameters != nullptr, capacity, needed)) return;
        std::transform(slices.begin(), slices.end(), parameters, [](const auto &slice) { return slice.first; });
    });
}

hpart_status hpart_family_slice(const hpart_family *family, int64_t parameter, const hpart_options *options,
                                hpart_platform **platform)
{
    return guarded([&] {
        const auto &source = checked_family(family);
        require(platform, "platform");
        const auto settings = options_for(options, call_slice);
        *platform = new hpart_platform{source.slice(parameter, between_slices(settings))};
    });
}

hpart_status hpart_family_read(const char *path, hpart_family **family)
{
    return guarded([&] {
        require(path, "path");
        require(family, "family");
        *family = new hpart_family{read_family(path)};
    });
}

hpart_status hpart_family_write(const hpart_family *family, const char *path)
{
    return guarded([&] {
        const auto &source = checked_family(family);
        require(path, "path");
        write_family(source, path);
    });
}

} // extern "C"
