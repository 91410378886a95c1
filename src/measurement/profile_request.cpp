#include "core/error.hpp"
#include "core/text.hpp"
#include "measurement/profile.hpp"

namespace hpart
{

ProfileRequest ProfileRequest::from(std::span<const std::int64_t> sizes, const Options &options)
{
    require_distinct_sizes(sizes);
    ProfileRequest request;
    request.sizes.assign(sizes.begin(), sizes.end());
    request.settings = MeasureSettings::from(options);
    request.settings.samples = "";
    request.simultaneous = options.get_int("simultaneous") == 1;
    request.random_order = options.get_text("order") == "random";
    request.file = options.get_text("checkpoint_file");
    request.samples = options.get_text("samples_file");
    request.remeasures_imprecise = options.get_text("remeasure") == "imprecise";
    request.most_sizes = options.get_int("max_sizes");
    request.block = options.get_int("block");
    request.max_total_seconds = options.get_double("max_total_seconds");
    request.resume_tolerance = options.find_double("resume_tolerance");
    if (!request.samples.empty() && request.samples == request.file)
        fail_argument("options 'samples_file' and 'checkpoint_file' are both ", in_quotes(request.file),
                      "; they must be two files");
    if (request.remeasures_imprecise && request.file.empty())
        fail_option("remeasure", " is 'imprecise', but 'checkpoint_file', whose points it is about, is not set");
    if (request.remeasures_imprecise && !request.samples.empty())
        fail_option("remeasure", " is 'imprecise', but 'samples_file' has the samples of a point once; give only "
                                 "one of them");
    const auto given = static_cast<std::int64_t>(sizes.size());
    if (request.most_sizes > 0 && given < 2)
        fail_option("max_sizes", " is ", request.most_sizes,
                    ", but one size is given; sizes are added between at least two");
    if (request.most_sizes > 0 && request.most_sizes < given)
        fail_option("max_sizes", " is ", request.most_sizes, ", fewer than the ", given,
                    " sizes given; it must be 0 or the number of sizes in all");
    request.energy = EnergyRequest::from(options);
    return request;
}

} // namespace hpart
