// hpart fft: a Fourier transform of data that may be larger than the device, checked and timed.
#include "checks.hpp"
#include "core/text.hpp"
#include "failure.hpp"
#include "operation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace hpart_command
{

namespace
{

struct FftArguments {
    OperationArguments operation;
    std::string dims, batch = "1";
    bool real = false;
};

struct Transform {
    bool is_double, real;
    std::vector<std::int64_t> dims;
    std::int64_t batch;
    std::int64_t points() const // of one array
    {
        std::int64_t count = 1;
        for (const auto dim : dims) count = elements_of("the transform", {count, dim});
        return count;
    }
};

std::vector<std::int64_t> parse_shape(std::string_view text)
{
    const auto parts = split(text, 'x');
    std::vector<std::int64_t> dims;
    for (const auto part : parts)
        if (const auto size = hpart::parse_count(part)) dims.push_back(*size);
    if (dims.size() == parts.size()) {
        for (const auto part : parts) parse_positive("--dims", part);
        return dims;
    }
    std::string joined; // what was probably meant
    for (const char c : text)
        if (c >= '0' && c <= '9')
            joined += c;
        else if (!joined.empty() && joined.back() != 'x')
            joined += 'x';
    while (joined.ends_with('x')) joined.pop_back();
    refuse("--dims is ", in_quotes(text), "; it must be sizes joined by x, as in ",
           joined.empty() ? "256x256" : joined);
}

hpart_status transform(hpart_device *device, const Transform &t, const Numbers &in, const Numbers &out,
                       const hpart_options *options, hpart_report **report)
{
    constexpr std::int32_t forward = -1;
    const auto rank = static_cast<std::int64_t>(t.dims.size());
    const auto *const dims = t.dims.data();
    if (t.is_double) {
        const auto *from = static_cast<const double *>(in.data());
        auto *to = static_cast<double *>(out.data());
        return t.real ? hpart_dfft_r2c(device, rank, dims, t.batch, from, to, options, report)
                      : hpart_zfft(device, rank, dims, t.batch, forward, from, to, options, report);
    }
    const auto *from = static_cast<const float *>(in.data());
    auto *to = static_cast<float *>(out.data());
    return t.real ? hpart_sfft_r2c(device, rank, dims, t.batch, from, to, options, report)
                  : hpart_cfft(device, rank, dims, t.batch, forward, from, to, options, report);
}

// Roundings grow with the number of stages. Lengths with large prime factors have the stages of a longer transform.
double error_bound(const Transform &t)
{
    constexpr double factor = 16;
    return factor * epsilon_of(t.is_double ? 'd' : 's') * (4 + std::log2(static_cast<double>(t.points())));
}

void run_fft(const FftArguments &arguments)
{
    const bool is_double = parse_choice("--precision", arguments.operation.precision, {"s", "d"}) == 1;
    const Transform t{is_double, arguments.real, parse_shape(arguments.dims),
                      parse_positive("--batch", arguments.batch)};
    const auto title = text(t.real ? "real" : "complex", " transform of ", arguments.dims, ", batch ", t.batch, ", ",
                            is_double ? "double" : "float", ", on ", arguments.operation.device);
    auto on_device = arguments.operation; // the host's speed is not the device's
    auto &settings = on_device.common.options;
    if (std::ranges::count(settings, "fft_plan=host") == 0 && !on_device.common.has_option("run_on"))
        settings.insert(settings.begin(), "run_on=device");
    if (arguments.operation.dry_run) {
        const auto device = open_device(arguments.operation);
        const Numbers in('s', 0), out('s', 1); // apart
        return emit_prediction(on_device, title, [&](const hpart_options *options, hpart_report **report) {
            return transform(device.get(), t, in, out, options, report);
        });
    }
    const auto points = elements_of("the transform", {t.points(), t.batch});
    const auto last = t.dims.back();
    const auto numbers = t.real ? points / last * (last / 2 + 1) : points;
    const char complex_type = is_double ? 'z' : 'c', type = t.real ? is_double ? 'd' : 's' : complex_type;
    require_memory({{"the data", type, points}, {"the spectrum", complex_type, numbers}});
    const auto device = open_device(arguments.operation);
    Numbers in(type, points), out(complex_type, numbers);
    in.fill(1);
    TimedOperation operation;
    operation.run = [&](const hpart_options *options, hpart_report **report) {
        return transform(device.get(), t, in, out, options, report);
    };
    const auto timing = time_operation(on_device, operation);
    emit_operation(arguments.operation, title, timing,
                   {transform_error(t.dims, t.batch, in, out), error_bound(t),
                    "||X - R|| / ||X||, estimated from random sums over X that are known from the data"});
}

} // namespace

void add_fft(CLI::App &app)
{
    auto arguments = std::make_shared<FftArguments>();
    auto *sub = app.add_subcommand("fft", "a Fourier transform larger than the device, checked and timed");
    sub->add_option("--dims", arguments->dims, "points, the last dimension is contiguous")
        ->required()
        ->type_name("8192x8192");
    sub->add_option("--batch", arguments->batch, "transforms one after another")->type_name("N")->capture_default_str();
    sub->add_flag("--real", arguments->real, "of real numbers: the half spectrum");
    add_operation(*sub, arguments->operation, "d|s");
    sub->footer("Example: hpart fft --device opencl:0:0 --dims 2048x2048 --memory-limit 16000000");
    sub->callback([arguments] {
        arguments->operation.common.settle();
        run_fft(*arguments);
    });
}

} // namespace hpart_command
