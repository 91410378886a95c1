// The density of samples by Gaussian kernels. Source of the bandwidth: Silverman, Density Estimation, 1986, 3.31.
#include "core/text.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "panels.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace hpart_command
{

namespace
{

constexpr std::string_view header = "processor,size,repetition,seconds,outlier";

struct Samples {
    std::vector<std::string> names; // in the file's order
    std::map<std::string, std::map<std::int64_t, std::vector<double>>> seconds;
    std::set<std::int64_t> sizes;
};

Samples parse_samples(std::string_view content, const std::string &path)
{
    Samples out;
    std::size_t number = 0;
    while (!content.empty()) {
        const auto line = hpart::trim(content.substr(0, content.find('\n')));
        content.remove_prefix(std::min(content.find('\n'), content.size() - 1) + 1);
        if (++number == 1 || line.empty()) continue;
        std::array<std::string_view, 5> fields;
        auto rest = line;
        for (auto &field : fields) {
            field = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(field.size() + 1, rest.size()));
        }
        const auto size = hpart::parse_int(fields[1]);
        const auto seconds = hpart::parse_double(fields[3]);
        if (!size || !seconds || !std::isfinite(*seconds) || fields[0].empty())
            refuse(input_name(path), ", line ", number, ", is ", in_quotes(line), "; it must be as ", header);
        const std::string name(fields[0]);
        if (!out.seconds.contains(name)) out.names.push_back(name);
        out.seconds[name][*size].push_back(*seconds);
        out.sizes.insert(*size);
    }
    return out;
}

double bandwidth_of(const std::vector<double> &sorted)
{
    const auto n = static_cast<double>(sorted.size());
    double mean = 0, squares = 0;
    for (const double value : sorted) mean += value / n;
    for (const double value : sorted) squares += (value - mean) * (value - mean);
    const double quartiles = sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4];
    double spread = std::sqrt(squares / std::max(n - 1, 1.0));
    if (quartiles > 0) spread = std::min(spread, quartiles / 1.34);
    return 0.9 * spread * std::pow(n, -0.2);
}

// Empty if all samples are equal.
Curve density_of(std::vector<double> samples)
{
    constexpr double reach = 3, points_a_bandwidth = 4, least_count = 256, most_count = 2000;
    std::sort(samples.begin(), samples.end());
    Curve curve;
    const double width = bandwidth_of(samples);
    if (!(width > 0)) return curve;
    const double begin = samples.front() - reach * width, length = samples.back() + reach * width - begin;
    const auto points =
        static_cast<int>(std::clamp(std::ceil(points_a_bandwidth * length / width), least_count, most_count));
    const double unit = 1 / (static_cast<double>(samples.size()) * width * std::sqrt(2 * std::numbers::pi));
    for (int k = 0; k <= points; ++k) {
        const double at = begin + length * k / points;
        double sum = 0;
        for (const double value : samples) sum += std::exp(-0.5 * (at - value) * (at - value) / (width * width));
        curve.sizes.push_back(at);
        curve.values.push_back(sum * unit);
    }
    return curve;
}

} // namespace

bool are_samples(const std::string &content) { return content.starts_with(header); }

void plot_samples(Plot &plot, const std::string &content, std::optional<std::int64_t> size, const std::string &path)
{
    const auto samples = parse_samples(content, path);
    if (samples.sizes.empty()) refuse(input_name(path), " has no samples; there is nothing to plot");
    if (!size && samples.sizes.size() > 1)
        refuse(input_name(path), " has samples of ", samples.sizes.size(), " sizes, ", *samples.sizes.begin(), " to ",
               *samples.sizes.rbegin(), "; choose one with --size");
    const auto chosen = size.value_or(*samples.sizes.begin());
    if (!samples.sizes.contains(chosen))
        refuse("--size is ", chosen, ", of which ", input_name(path), " has no samples");
    Panel panel;
    double longest = 0;
    for (std::size_t i = 0; i < samples.names.size(); ++i) {
        const auto &sizes = samples.seconds.at(samples.names[i]);
        const auto found = sizes.find(chosen);
        if (found == sizes.end()) continue;
        auto curve = density_of(found->second);
        if (curve.sizes.empty()) continue;
        curve.name = text(samples.names[i], ", ", found->second.size(), " samples");
        curve.style = i;
        longest = std::max(longest, curve.sizes.back());
        panel.curves.push_back(std::move(curve));
    }
    if (panel.curves.empty())
        refuse(input_name(path), " has equal samples only at size ", chosen, "; they have no density");
    const auto scale = scale_for(longest);
    for (auto &curve : panel.curves) {
        for (auto &at : curve.sizes) at *= scale.factor;
        for (auto &value : curve.values) value /= scale.factor;
    }
    panel.label = text("density [1/", scale.prefix, "s]");
    draw_panels(plot, title_text(text("Density of the samples of size ", chosen), path),
                text("time [", scale.prefix, "s]"), {panel});
}

} // namespace hpart_command
