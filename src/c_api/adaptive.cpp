#include "adaptive/adaptive.hpp"
#include "c_api/handles.hpp"

#include <algorithm>

using namespace hpart;
using namespace hpart::c_api;

struct hpart_adaptive {
    Adaptive value;
};

extern "C" {

hpart_status hpart_adaptive_create(int64_t processors, int64_t size, const hpart_options *options,
                                   hpart_adaptive **adaptive)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        const auto settings = AdaptiveSettings::from_options(options_for(options, call_adaptive));
        *adaptive = new hpart_adaptive{Adaptive(processors, size, settings)};
    });
}

void hpart_adaptive_destroy(hpart_adaptive *adaptive) { delete adaptive; }

int64_t hpart_adaptive_processors(const hpart_adaptive *adaptive)
{
    return adaptive == nullptr ? -1 : adaptive->value.processors();
}

hpart_status hpart_adaptive_set_limits(hpart_adaptive *adaptive, int64_t processor, int64_t smallest, int64_t largest)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        adaptive->value.set_limits(processor, smallest, largest);
    });
}

hpart_status hpart_adaptive_set_size(hpart_adaptive *adaptive, int64_t size)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        adaptive->value.set_size(size);
    });
}

hpart_status hpart_adaptive_start_from(hpart_adaptive *adaptive, const hpart_platform *platform)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        require(platform, "platform");
        adaptive->value.start_from(platform->value);
    });
}

hpart_status hpart_adaptive_distribution(const hpart_adaptive *adaptive, int64_t *x)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        require(x, "x");
        const auto &distribution = adaptive->value.distribution();
        std::copy(distribution.begin(), distribution.end(), x);
    });
}

hpart_status hpart_adaptive_update(hpart_adaptive *adaptive, const int64_t *x, const double *seconds)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        const auto times = array(seconds, adaptive->value.processors(), "seconds");
        const auto as_given = adaptive->value.distribution();
        adaptive->value.update(x == nullptr ? std::span(as_given) : array(x, adaptive->value.processors(), "x"), times);
    });
}

int32_t hpart_adaptive_converged(const hpart_adaptive *adaptive)
{
    if (adaptive == nullptr) return -1;
    return adaptive->value.converged() ? 1 : 0;
}

hpart_status hpart_adaptive_functions(const hpart_adaptive *adaptive, hpart_platform **platform)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        require(platform, "platform");
        *platform = new hpart_platform{adaptive->value.functions()};
    });
}

hpart_status hpart_adaptive_report(const hpart_adaptive *adaptive, hpart_report **report)
{
    return guarded([&] {
        require(adaptive, "adaptive");
        require(report, "report");
        *report = new hpart_report{adaptive->value.report()};
    });
}

} // extern "C"
