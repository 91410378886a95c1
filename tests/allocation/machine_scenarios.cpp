#include "scenarios.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <new>
#include <stdexcept>

namespace
{

using hpart::layout;
using hpart::transpose;
using hpart::triangle;

constexpr std::int64_t n = 48;
constexpr std::int64_t small_memory = 20000;   // bytes: the matrices do not fit
constexpr std::int64_t shared_memory = 200000; // bytes of each device

struct Numbers {
    Numbers() : a(n * n), b(n * n), c(n * n)
    {
        for (std::size_t k = 0; k < a.size(); ++k) {
            a[k] = std::sin(static_cast<double>(k));
            b[k] = std::cos(static_cast<double>(k));
        }
        for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] += 2.0 * n; // positive definite
    }
    bool operator==(const Numbers &) const = default;
    std::vector<double> a, b, c;
};

std::complex<double> *complex(std::vector<double> &numbers)
{
    return reinterpret_cast<std::complex<double> *>(numbers.data());
}

using Operation = void (*)(hpart::device &, Numbers &);

hpart::options three_runs() { return {{"min_repetitions", 3}, {"max_repetitions", 3}}; }

void nothing(std::int64_t) {}

hpart::device open_device(const char *spec, std::int64_t memory_limit)
{
    hpart::options options;
    if (memory_limit != 0) options.set({"memory_limit", memory_limit});
    return hpart::device(spec, options);
}

void team_calls(const Start &start)
{
    const auto options = three_runs();
    start();
    hpart::team team;
    team.add("the first of the processors", nothing);
    team.add("second", nothing, "0");
    team.set_kernel("a kernel that does nothing, 1.0");
    team.measure({2, 3}, options);
    team.profile({1, 2}, options);
    team.execute({2, 3});
}

void optimize_calls(const Start &start)
{
    auto options = three_runs();
    options.set({"checkpoint_file", "allocation_test_optimum.csv"});
    hpart::team team;
    for (const auto *name : {"first", "second"}) team.add(name, nothing);
    team.set_kernel("nothing");
    std::remove("allocation_test_optimum.csv");
    start();
    team.optimize(hpart::objective::time, 5, {1, 2, 3, 4}, options);
}

void program_calls(const Start &start)
{
    const auto options = three_runs();
    const hpart::options lines{{"protocol", "lines"}};
    start();
    hpart::team team;
    team.add_program("stays", "sh -c 'while read size; do echo $size; done'", lines);
    team.add_program("starts again", "echo the size {size}");
    team.measure({2, 3}, options);
    team.profile({1, 2}, options);
}

void builtin_calls(const Start &start)
{
    const auto options = three_runs();
    const hpart::options dims{{"dims", "n=8,k=8"}};
    start();
    hpart::team team;
    team.add_builtin("", "dgemm", "cpu:0", dims);
    team.measure({8}, options);
}

void own_meter_calls(const Start &start)
{
    start();
    double clock = 0;
    hpart::meter meter(
        "a meter of the user's own",
        [&clock] {
            return hpart::reading{5, clock += 0.01};
        },
        hpart::quantity::watts, 0.001);
    meter.start();
    meter.stop();
    meter.report();
    hpart::team team;
    team.add("one", nothing);
    team.set_meter(hpart::team::whole_node, meter);
}

void recording_calls(const Start &start)
{
    std::ofstream("allocation_test_recording.csv") << "seconds,watts\n0,5\n1,5\n2,5\n3,5\n";
    start();
    hpart::meter meter("replay:allocation_test_recording.csv");
    meter.start();
    meter.stop();
    hpart::meters(); // the search for what this machine has
}

void pipeline_calls(const Start &start)
{
    std::vector<double> values(4 * n, 1.0);
    auto device = open_device("host", 0);
    start();
    hpart::pipeline pipeline(device);
    const auto array = pipeline.add_array(n * 8, 2);
    for (std::size_t k = 0; k < 4; ++k) {
        pipeline.update(array, &values[k * n], 1, n * 8, n * 8);
        pipeline.end_step();
    }
    pipeline.run([](const hpart::step &step) {
        auto *block = static_cast<double *>(step.memory(0));
        for (std::int64_t k = 0; k < n; ++k) block[k] *= 2;
    });
}

void open_calls(const Start &start)
{
    start();
    hpart::device("host").alloc_pinned<char>(1000);
}

// HPART_ERR_OUT_OF_MEMORY promises that the data is as it was; HPART_ERR_DEVICE says that it may not be.
void operate(Operation operation, std::int64_t memory_limit, const Start &start)
{
    Numbers numbers;
    const Numbers before;
    auto device = open_device("host", memory_limit);
    start();
    try {
        operation(device, numbers);
    } catch (const hpart::error &error) {
        if (error.status() == HPART_ERR_OUT_OF_MEMORY && numbers != before)
            throw std::logic_error("the data is changed");
        throw;
    }
}

// Several devices that share an operation; what is made at the first one, by the drivers too, is there.
void share(Operation operation, const Start &start)
{
    Numbers numbers;
    auto devices = open_device("opencl:0:0,host", shared_memory);
    operation(devices, numbers);
    start();
    operation(devices, numbers);
}

struct Named {
    const char *name;
    Operation operation;
};

constexpr std::array device_operations{
    Named{"dgemm",
          [](hpart::device &device, Numbers &m) {
              hpart::gemm(device, layout::row_major, transpose::no, transpose::yes, n, n, n, 1, m.a.data(), n,
                          m.b.data(), n, 0.5, m.c.data(), n);
          }},
    Named{"dgemv",
          [](hpart::device &device, Numbers &m) {
              hpart::gemv(device, layout::row_major, transpose::no, n, n, 1, m.a.data(), n, m.b.data(), 1, 0,
                          m.c.data(), 1);
          }},
    Named{"dgetrf",
          [](hpart::device &device, Numbers &m) {
              std::array<std::int64_t, n> pivots{};
              hpart::getrf(device, layout::column_major, n, n, m.a.data(), n, pivots.data());
          }},
    Named{"dpotrf", [](hpart::device &device,
                       Numbers &m) { hpart::potrf(device, layout::row_major, triangle::lower, n, m.a.data(), n); }},
    Named{"dgeqrf", [](hpart::device &device,
                       Numbers &m) { hpart::geqrf(device, layout::column_major, n, n, m.a.data(), n, m.c.data()); }},
    Named{"dgesv",
          [](hpart::device &device, Numbers &m) {
              std::array<std::int64_t, n> pivots{};
              hpart::gesv(device, layout::column_major, n, 3, m.a.data(), n, pivots.data(), m.b.data(), n);
          }},
    Named{"dposv",
          [](hpart::device &device, Numbers &m) {
              hpart::posv(device, layout::row_major, triangle::upper, n, 3, m.a.data(), n, m.b.data(), n);
          }},
    Named{"dgels",
          [](hpart::device &device, Numbers &m) {
              hpart::gels(device, layout::column_major, transpose::no, n, n / 2, 3, m.a.data(), n, m.b.data(), n);
          }},
    Named{"dgels of a transposed row-major matrix",
          [](hpart::device &device, Numbers &m) {
              hpart::gels(device, layout::row_major, transpose::yes, n, n / 2, 3, m.a.data(), n, m.b.data(), n);
          }},
    Named{"zfft",
          [](hpart::device &device, Numbers &m) {
              hpart::fft(device, {n, n / 2}, 1, -1, complex(m.a), complex(m.a));
          }},
    Named{"zfft of a line", [](hpart::device &device,
                               Numbers &m) { hpart::fft(device, {n * n / 2}, 1, -1, complex(m.a), complex(m.c)); }},
    Named{"dfft_r2c",
          [](hpart::device &device, Numbers &m) {
              hpart::fft_r2c(device, {n, n / 2}, 1, m.a.data(), complex(m.c));
          }},
    Named{"dfft_c2r",
          [](hpart::device &device, Numbers &m) {
              hpart::fft_c2r(device, {n, n / 2}, 1, complex(m.a), m.c.data());
          }},
};

} // namespace

void measure_devices()
{
    for (const char *spec : {"host", "opencl:0:0"}) try {
            Numbers m;
            auto device = open_device(spec, std::int64_t{1} << 28);
            hpart::gemm(device, layout::row_major, transpose::no, transpose::no, n, n, n, 1, m.a.data(), n, m.b.data(),
                        n, 0, m.c.data(), n, {{"zero_copy", "never"}});
        } catch (const hpart::error &) { // a build without it
        }
}

std::vector<Scenario> machine_scenarios()
{
    std::vector<Scenario> all{
        {"team", team_calls},         {"optimize", optimize_calls},
        {"program", program_calls},   {"built-in kernel", builtin_calls},
        {"meter", own_meter_calls},   {"recording", recording_calls},
        {"pipeline", pipeline_calls}, {"device", open_calls},
    };
    for (const auto &each : device_operations) {
        const std::string name = each.name;
        const auto operation = each.operation;
        all.push_back({name, [=](const Start &start) { operate(operation, 0, start); }});
        all.push_back({name + " out of card", [=](const Start &start) { operate(operation, small_memory, start); }});
        if (name == "dgemm" || name == "zfft" || name == "zfft of a line")
            all.push_back({name + " on two devices", [=](const Start &start) { share(operation, start); }, true});
    }
    return all;
}
