// Costs that belong to no operation: packing on the host, plans of cuFFT, sessions that come and go.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/in_card/cufft.hpp"
#include "out_of_card/pipeline/staging.hpp"
#include "sections.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace gpu_bench
{

namespace
{

using namespace hpart;

// A plan of rows, complex double, without a work area; sets its bytes.
CufftHandle make_plan(const CufftLibrary &cufft, long long length, long long rows, std::size_t &work_bytes)
{
    CufftHandle plan = 0;
    CufftLibrary::check(cufft.create(&plan), "cufftCreate");
    CufftLibrary::check(cufft.set_auto_allocation(plan, 0), "cufftSetAutoAllocation");
    constexpr auto type = CudaType::complex_double;
    CufftLibrary::check(cufft.make_plan_many(plan, 1, &length, &length, 1, length, type, &length, 1, length, type, rows,
                                             &work_bytes, type),
                        "cufftXtMakePlanMany");
    return plan;
}

std::int64_t free_bytes(const CudaContext &context)
{
    std::size_t free = 0, total = 0;
    context.check(context.driver().memory_info(&free, &total), "cuMemGetInfo");
    return static_cast<std::int64_t>(free);
}

// A product of a session, and whether it is right.
bool multiplies(DeviceGroup devices)
{
    constexpr std::int64_t n = 64;
    std::vector<double> a(n * n, 0.5), b(n * n, 2), c(n * n, -1);
    GemmCall call;
    call.type = Scalar::d;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    Report report;
    gemm(devices, call, Options(), report);
    return std::all_of(c.begin(), c.end(), [](double value) { return value == n; });
}

// A session in a forked process: an error is right, a wrong result, a crash or a wait without end are not.
void check_fork(const Subject &subject, Results &results)
{
    const auto devices = subject.devices(std::int64_t{1} << 22);
    if (!multiplies(devices)) return results.fail(subject.spec + ": a small product is wrong");
    constexpr unsigned most_seconds = 10;
    const auto child = fork();
    if (child == 0) {
        alarm(most_seconds);
        int status = 0;
        try {
            status = multiplies(devices) ? 0 : 2;
        } catch (const std::exception &error) {
            std::fprintf(stderr, "a forked process: %s\n", error.what());
            status = 1;
        }
        std::_Exit(status);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) fail(Status::device, "no process can be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) < 2)
        results.say(text(subject.spec, " in a forked process: ", WEXITSTATUS(status) == 0 ? "works" : "an error"));
    else
        results.fail(text(subject.spec, " in a forked process: ",
                          WIFSIGNALED(status) ? text("ended by signal ", WTERMSIG(status)) : "a wrong result"));
    if (!multiplies(devices)) results.fail(subject.spec + ": a product after a fork is wrong");
}

} // namespace

void measure_packing(const Subject &subject, Results &results)
{
    const auto bytes = subject.is_small ? std::int64_t{1} << 20 : std::int64_t{1} << 28;
    constexpr std::int64_t row_bytes = 16384; // of a wider matrix
    const Place from(*subject.device, 2 * bytes, false), to(*subject.device, bytes, true);
    std::fill_n(from.data, from.bytes, 'x');
    const HostCopy copy{reinterpret_cast<const std::byte *>(from.data),
                        2 * row_bytes,
                        reinterpret_cast<std::byte *>(to.data),
                        row_bytes,
                        {bytes / row_bytes, row_bytes}};
    for (const int threads : {1, 2, 4, 8, 16}) {
        CopyThreads packing(threads - 1);
        packing.copy(copy);
        const auto rate = static_cast<double>(bytes) / seconds_of([&] { packing.copy(copy); });
        results.add(
            {{"device", subject.spec}, {"operation", "packing"}, {"threads", text(threads)}, {"rate", number(rate)}});
        results.say(text(subject.spec, " packing by ", threads, " threads: ", number(rate * 1e-9), " GB/s"));
    }
}

void measure_fft_plans(const Subject &subject, Results &results)
{
    if (!subject.is_cuda()) return;
    const auto &context = *cuda_context(*subject.device);
    const CufftLibrary cufft(context.driver());
    const CudaCurrent current(context);
    using Shape = std::pair<long long, long long>;
    const std::vector<Shape> shapes = subject.is_small
                                          ? std::vector<Shape>{{64, 8}, {61, 8}}
                                          : std::vector<Shape>{{32768, 64}, {32768, 65}, {16384, 999}, {67108859, 1}};
    std::size_t work = 0;
    for (const bool one_is_kept : {false, true}) {
        const CufftHandle kept = one_is_kept ? make_plan(cufft, 16, 1, work) : 0;
        for (const auto &shape : shapes) {
            const auto length = shape.first, rows = shape.second;
            const auto before = free_bytes(context);
            CufftHandle plan = 0;
            const auto seconds = seconds_of([&] { plan = make_plan(cufft, length, rows, work); });
            const auto besides = before - free_bytes(context);
            CufftLibrary::check(cufft.destroy(plan), "cufftDestroy");
            results.add({{"device", subject.spec},
                         {"operation", "cufft_plan"},
                         {"length", text(length)},
                         {"rows", text(rows)},
                         {"another_is_kept", one_is_kept ? "1" : "0"},
                         {"wall_seconds", precise(seconds)},
                         {"work_bytes", text(work)},
                         {"bytes_besides", text(besides)}});
            results.say(text(subject.spec, " cuFFT plan ", length, " x ", rows,
                             one_is_kept ? ", another is kept: " : ": ", fixed(seconds * 1e3, 1), " ms, work area ",
                             work, ", besides ", besides, " bytes"));
        }
        if (one_is_kept) CufftLibrary::check(cufft.destroy(kept), "cufftDestroy");
    }
}

void check_sessions(Subject subject, Results &results)
{
    constexpr int sessions = 3;
    for (int session = 0; session < sessions; ++session) {
        bool is_right = false;
        const auto seconds = seconds_of([&] {
            subject.open();
            is_right = multiplies(subject.devices(std::int64_t{1} << 22));
            subject.device.reset();
        });
        const auto line =
            text(subject.spec, " session ", session + 1, " with a small product: ", number(seconds), " s");
        if (is_right)
            results.say(line);
        else
            results.fail(line + ": wrong");
    }
    if (!subject.spec.starts_with("cuda:") || subject.is_small) return; // other drivers promise nothing
    subject.open();
    check_fork(subject, results);
}

} // namespace gpu_bench
