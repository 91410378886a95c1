// Products larger than a device's memory: against the same kernels without transfers, HCLOOC's plan and a fixed tile, over
// sizes from half to eight times the device; bytes against the bound; time against the busier of kernels and link.
//
//   bench_out_of_card gemm [--device SPEC] [--memory BYTES] [--link BYTES_A_SECOND [--half-duplex]] [--type s|d|c|z]
//                          [--kernel NAME] [--ratios 0.5,1,2,...] [--repeats N] [--beta] [--tiles MBxNBxKB,...]
//
// With --tiles these plans are measured at the first ratio, and nothing else. With --link the device is behind an emulated
// link. bench/report_out_of_card runs it for several devices and limits, and draws it.
#include "core/error.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "support/slow_link_device.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

using namespace hpart;

namespace
{

struct Arguments {
    std::string device = "opencl:0:0";
    std::int64_t memory = 16 << 20;
    double link = 0;
    bool half_duplex = false;
    Scalar type = Scalar::d;
    std::string kernel = "auto";
    std::vector<double> ratios = {0.5, 0.75, 0.95, 1.05, 1.5, 2, 3, 4, 6, 8};
    int repeats = 5;
    bool beta = false;
    std::vector<TileSize> tiles;
};

Scalar type_of(const std::string &name)
{
    constexpr std::string_view names = "sdcz";
    const auto found = name.size() == 1 ? names.find(name) : std::string_view::npos;
    if (found == std::string_view::npos) fail_argument("--type is ", in_quotes(name), "; it must be s, d, c or z");
    return static_cast<Scalar>(found);
}

std::vector<double> numbers_of(std::string_view list)
{
    std::vector<double> numbers;
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        numbers.push_back(parse_double(list.substr(0, comma)).value());
        list.remove_prefix(std::min(list.size(), comma + 1));
    }
    return numbers;
}

std::vector<TileSize> tiles_of(std::string_view list)
{
    std::vector<TileSize> tiles;
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        tiles.push_back(parse_tile(list.substr(0, comma)));
        list.remove_prefix(std::min(list.size(), comma + 1));
    }
    return tiles;
}

Arguments parse(int count, char **values)
{
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        const std::string name = values[i];
        if (name == "gemm") continue;
        if (name == "--half-duplex" || name == "--beta") {
            (name == "--beta" ? arguments.beta : arguments.half_duplex) = true;
            continue;
        }
        if (i + 1 == count) fail_argument(name, " needs a value");
        const std::string value = values[++i];
        if (name == "--device")
            arguments.device = value;
        else if (name == "--memory")
            arguments.memory = static_cast<std::int64_t>(parse_double(value).value());
        else if (name == "--link")
            arguments.link = parse_double(value).value();
        else if (name == "--type")
            arguments.type = type_of(value);
        else if (name == "--kernel")
            arguments.kernel = value;
        else if (name == "--ratios")
            arguments.ratios = numbers_of(value);
        else if (name == "--repeats")
            arguments.repeats = static_cast<int>(parse_int(value).value());
        else if (name == "--tiles")
            arguments.tiles = tiles_of(value);
        else
            fail_argument(in_quotes(name), " is unknown; the arguments stand at the top of bench/out_of_card.cpp");
    }
    return arguments;
}

std::shared_ptr<DeviceSession> open(const Arguments &arguments)
{
    const auto opened = open_devices(arguments.device, Options()).sessions.front();
    std::shared_ptr<Device> device(opened, &opened->device());
    if (arguments.link > 0)
        device = std::make_shared<support::SlowLinkDevice>(
            device, support::Link{arguments.link, arguments.link, arguments.half_duplex, true});
    return std::make_shared<DeviceSession>(device, arguments.memory);
}

// Square matrices of numbers in [0, 1).
struct Matrices {
    Matrices(std::int64_t order, Scalar type)
        : n(order), bytes(static_cast<std::size_t>(order * order * bytes_of(type)))
    {
        std::minstd_rand random(1);
        for (auto *const matrix : {&a, &b, &c}) {
            matrix->resize(bytes);
            if (is_double(type))
                fill<double>(*matrix, random);
            else
                fill<float>(*matrix, random);
        }
    }
    template <typename Real> static void fill(std::vector<char> &memory, std::minstd_rand &random)
    {
        std::uniform_real_distribution<Real> uniform(0, 1);
        for (std::size_t i = 0; i < memory.size(); i += sizeof(Real)) {
            const auto value = uniform(random);
            std::memcpy(memory.data() + i, &value, sizeof value);
        }
    }
    std::int64_t n;
    std::size_t bytes;
    std::vector<char> a, b, c;
};

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Medians.
struct Measured {
    std::optional<PlannedGemm> planned; // none where nothing fits
    std::vector<double> seconds;
    double median_seconds() const
    {
        return seconds.empty() ? std::numeric_limits<double>::infinity() : median(seconds);
    }
};

class Bench
{
  public:
    explicit Bench(const Arguments &arguments) : arguments_(arguments), session_(open(arguments)) {}

    void run()
    {
        const std::lock_guard lock(session_->in_use());
        kernel_ = in_card_gemm(*session_, arguments_.type, arguments_.kernel);
        const auto model = model_of(*session_, kernel_, 1, FlowOptions());
        link_ = model.link;
        std::printf(
            "# %s, kernel %s, %.1f MB, link %.2f in, %.2f out, %.2f both GB/s, queue latency %.0f us, beta = %d\n",
            arguments_.device.c_str(), std::string(kernel_->name()).c_str(),
            1e-6 * static_cast<double>(arguments_.memory), 1e-9 * link_.in_bytes_per_second,
            1e-9 * link_.out_bytes_per_second, 1e-9 * link_.both_bytes_per_second, 1e6 * model.queue_latency,
            arguments_.beta ? 1 : 0);
        std::printf("%6s %6s %8s %8s %6s %8s %8s %7s %8s %8s  %s\n", "n/S", "n", "GF/s", "kernels", "ratio", "/busier",
                    "predict", "/bound", "hclooc", "tile504", "plan");
        if (arguments_.tiles.empty())
            for (const auto ratio : arguments_.ratios) one_size(ratio);
        else
            these_tiles(arguments_.ratios.at(0));
    }

  private:
    // Square, of so many times the device's memory.
    struct Problem {
        Problem(const Arguments &arguments, double ratio)
            : matrices(static_cast<std::int64_t>(std::sqrt(ratio * static_cast<double>(arguments.memory) /
                                                           static_cast<double>(3 * bytes_of(arguments.type)))),
                       arguments.type)
        {
            call.type = arguments.type;
            call.m = call.n = call.k = call.lda = call.ldb = call.ldc = matrices.n;
            call.a = matrices.a.data();
            call.b = matrices.b.data();
            call.c = matrices.c.data();
            call.beta = arguments.beta ? 1 : 0;
        }
        double gflops(double seconds) const { return operations_of(shape_of(call)) / seconds * 1e-9; }
        Matrices matrices;
        GemmCall call;
    };

    void these_tiles(double ratio)
    {
        const Problem problem(arguments_, ratio);
        for (const auto &tile : arguments_.tiles) {
            auto measured = planned(problem.call, "model", tile);
            Measured none;
            measure_and_print(ratio, problem, measured, none, none);
        }
    }

    void one_size(double ratio)
    {
        const Problem problem(arguments_, ratio);
        const auto &call = problem.call;
        auto best = planned(call, "model", {}), hclooc = planned(call, "hclooc", {}),
             fixed = planned(call, "model", TileSize{504, 504, 504});
        measure_and_print(ratio, problem, best, hclooc, fixed);
    }

    Measured planned(const GemmCall &call, const char *plan, std::optional<TileSize> tile)
    {
        GemmSettings settings;
        settings.plan = plan;
        settings.tile = tile;
        Measured measured;
        try {
            measured.planned =
                plan_for(*session_, *kernel_, shape_of(call), model_of(*session_, kernel_, 1, settings.flow), settings);
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
        }
        return measured;
    }

    void measure_and_print(double ratio, const Problem &problem, Measured &best, Measured &hclooc, Measured &fixed)
    {
        if (!best.planned) fail(Status::out_of_memory, "no plan fits for n = ", problem.matrices.n);
        FlowOptions without;
        without.without_transfers = true;
        std::vector<double> kernels;
        // In turns, so that all see the same load of the machine. The first run of each turn is not counted: another plan's
        // memory on the device had to make room, and fresh pages cost as much as some copies.
        for (int turn = 0; turn < arguments_.repeats; ++turn)
            for (auto *const measured : {&best, &hclooc, &fixed}) {
                if (!measured->planned) continue;
                const auto &plan = measured->planned->plan;
                once(problem.call, plan, FlowOptions());
                measured->seconds.push_back(once(problem.call, plan, FlowOptions()));
                if (measured == &best) kernels.push_back(once(problem.call, plan, without));
            }
        print(ratio, problem, best, median(kernels), hclooc.median_seconds(), fixed.median_seconds());
    }

    void print(double ratio, const Problem &problem, const Measured &best, double kernels, double hclooc, double fixed)
    {
        const auto seconds = best.median_seconds();
        const auto shape = shape_of(problem.call);
        const auto &traffic = best.planned->traffic;
        const auto busier =
            std::max(kernels, link_.busy_seconds(static_cast<double>(traffic.in_bytes) / link_.in_bytes_per_second,
                                                 static_cast<double>(traffic.out_bytes) / link_.out_bytes_per_second));
        const auto &plan = best.planned->plan;
        const auto moved = static_cast<double>(best.planned->traffic.total()) /
                           static_cast<double>(least_traffic(shape, arguments_.memory).total());
        std::printf("%6.2f %6ld %8.1f %8.1f %6.3f %8.3f %8.3f %7.3f %8.3f %8.3f  %ldx%ldx%ld c%ld a%ld b%ld g%ld %s\n",
                    ratio, static_cast<long>(shape.n), problem.gflops(seconds), problem.gflops(kernels),
                    kernels / seconds, seconds / busier, seconds / best.planned->predicted.seconds, moved,
                    hclooc / seconds, fixed / seconds, static_cast<long>(plan.mb), static_cast<long>(plan.nb),
                    static_cast<long>(plan.kb), static_cast<long>(plan.c_buffers), static_cast<long>(plan.a_slots),
                    static_cast<long>(plan.b_slots), static_cast<long>(plan.strips()),
                    plan.by_rows ? "rows" : "columns");
        std::fflush(stdout);
    }

    double once(const GemmCall &call, const GemmPlan &plan, const FlowOptions &options)
    {
        Control control;
        FlowRecord record;
        run_plan(*session_, *kernel_, call, plan, control, options, record);
        return record.seconds;
    }

    Arguments arguments_;
    std::shared_ptr<DeviceSession> session_;
    std::shared_ptr<InCardGemm> kernel_;
    LinkRates link_;
};

} // namespace

int main(int count, char **values)
{
    try {
        Bench(parse(count, values)).run();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench_out_of_card: %s\n", error.what());
        return 1;
    }
    return 0;
}
