// Rates of the in-card products against OpenBLAS in the same run: C += op(A) op(B), each kernel of a device, each type, the
// depths that planners choose from. Kernel and OpenBLAS take turns, so that both meet the same machine.
//
//   bench_in_card_gemm [device [rows columns [turns [kernel [clock]]]]]     opencl:0:0:0 1008 1008 15, all kernels, wall
//
// OpenBLAS has as many threads as the device has compute units. The clock `cpu` counts the process's own time alone: on a
// busy machine, for devices of one unit on the host's cores.
#include "core/error.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <time.h>
#include <vector>

#include <cblas.h>

namespace
{

using namespace hpart;

using Clock = double (*)();

double wall_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_seconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Rates {
    double best, median; // GF/s
};

Rates rates_of(std::vector<double> seconds, double flops)
{
    std::sort(seconds.begin(), seconds.end());
    return {flops / seconds.front() * 1e-9, flops / seconds[seconds.size() / 2] * 1e-9};
}

struct Form {
    std::int64_t m, n, k;
    Transpose transpose_a, transpose_b;
};

// Random operands of one type on the host and on the device, large enough for all forms.
class Operands
{
  public:
    Operands(DeviceSession &session, Scalar type, Clock clock, std::int64_t m, std::int64_t n, std::int64_t k)
        : session_(session), type_(type), clock_(clock), queue_(session.device().make_queue())
    {
        host_[0] = values((m + padding) * (k + padding));
        host_[1] = values((k + padding) * (n + padding));
        host_[2] = values(m * (n + padding));
        for (int operand = 0; operand < 3; ++operand) {
            const auto bytes = static_cast<std::int64_t>(host_[operand].size());
            device_buffers_[operand] = session.allocate(bytes);
            wait(session.device().write(*queue_, {device_buffers_[operand].get(), 0, bytes}, host_[operand].data(),
                                        bytes, {1, bytes}, {}));
        }
    }

    double kernel_seconds(InCardGemm &kernel, const Form &form)
    {
        const auto start = clock_();
        wait(session_.device().launch(*queue_, kernel.product(product(form)), {}));
        return clock_() - start;
    }

    double blas_seconds(const Form &form)
    {
        const auto start = clock_();
        multiply_by_cblas(type_, product(form), {host_[0].data(), host_[1].data(), host_[2].data()});
        return clock_() - start;
    }

  private:
    static constexpr std::int64_t padding = 8; // elements between rows: powers of two fall on each other in caches

    std::vector<char> values(std::int64_t elements) const
    {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> real(-1, 1);
        std::vector<char> out(static_cast<std::size_t>(elements * bytes_of(type_)));
        const auto fill = [&](auto *first, auto *last) {
            for (; first != last; ++first)
                *first = static_cast<std::remove_reference_t<decltype(*first)>>(real(random));
        };
        if (is_double(type_))
            fill(reinterpret_cast<double *>(out.data()), reinterpret_cast<double *>(out.data() + out.size()));
        else
            fill(reinterpret_cast<float *>(out.data()), reinterpret_cast<float *>(out.data() + out.size()));
        return out;
    }

    DeviceGemm product(const Form &form)
    {
        DeviceGemm what;
        what.m = form.m;
        what.n = form.n;
        what.k = form.k;
        what.transpose_a = form.transpose_a;
        what.transpose_b = form.transpose_b;
        what.beta = 1;
        what.a = {device_buffers_[0].get(), 0, (form.transpose_a == Transpose::none ? form.k : form.m) + padding};
        what.b = {device_buffers_[1].get(), 0, (form.transpose_b == Transpose::none ? form.n : form.k) + padding};
        what.c = {device_buffers_[2].get(), 0, form.n + padding};
        return what;
    }

    void wait(const Event &event)
    {
        session_.device().flush(*queue_);
        if (event->wait() != EventState::done) fail(Status::device, "a command failed with ", event->failure());
    }

    DeviceSession &session_;
    Scalar type_;
    Clock clock_;
    std::vector<char> host_[3];
    SessionBuffer device_buffers_[3];
    std::unique_ptr<DeviceQueue> queue_;
};

void compare(Operands &operands, InCardGemm &kernel, const Form &form, int turns)
{
    operands.kernel_seconds(kernel, form); // compiles
    std::vector<double> ours, blas;
    for (int turn = 0; turn < turns; ++turn) {
        ours.push_back(operands.kernel_seconds(kernel, form));
        blas.push_back(operands.blas_seconds(form));
    }
    const auto flops = flops_per_product(kernel.type()) * static_cast<double>(form.m) * static_cast<double>(form.n) *
                       static_cast<double>(form.k);
    const auto own = rates_of(ours, flops), reference = rates_of(blas, flops);
    const auto letter = [](Transpose transpose) { return "ntc"[static_cast<int>(transpose)]; };
    std::printf("%-9s %c %c%c %5ld  %7.1f %7.1f  %7.1f %7.1f  %5.3f %5.3f\n", std::string(kernel.name()).c_str(),
                "sdcz"[static_cast<int>(kernel.type())], letter(form.transpose_a), letter(form.transpose_b),
                static_cast<long>(form.k), own.best, own.median, reference.best, reference.median,
                own.best / reference.best, own.median / reference.median);
    std::fflush(stdout);
}

void compare_all(DeviceSession &session, std::int64_t m, std::int64_t n, int turns, const std::string &only,
                 Clock clock)
{
    constexpr std::int64_t depths[] = {32, 64, 96, 128, 192, 256, 512, 1024};
    constexpr std::int64_t depth_of_transposes = 256;
    for (const auto type : {Scalar::d, Scalar::s, Scalar::z, Scalar::c}) {
        Operands operands(session, type, clock, m, n, *std::rbegin(depths));
        for (const auto &name : in_card_gemm_names(session, type)) {
            if (!only.empty() && name != only) continue;
            const auto kernel = in_card_gemm(session, type, name);
            for (const auto depth : depths)
                compare(operands, *kernel, {m, n, depth, Transpose::none, Transpose::none}, turns);
            for (const auto a : {Transpose::none, Transpose::transpose})
                for (const auto b : {Transpose::none, Transpose::transpose})
                    if (a != Transpose::none || b != Transpose::none)
                        compare(operands, *kernel, {m, n, depth_of_transposes, a, b}, turns);
        }
    }
}

} // namespace

int main(int count, char **arguments)
{
    const auto text_of = [&](int place, const char *otherwise) {
        return std::string(place < count ? arguments[place] : otherwise);
    };
    const auto number_of = [&](int place, const char *otherwise) {
        return std::strtol(text_of(place, otherwise).c_str(), nullptr, 10);
    };
    try {
        const auto devices = open_devices(text_of(1, "opencl:0:0:0"), Options{});
        auto &session = *devices.sessions.front();
        const auto units = static_cast<int>(session.info().compute_units);
        openblas_set_num_threads(units);
        std::printf("%s, %s; OpenBLAS for %s, %d threads\n", session.info().name.c_str(), session.info().driver.c_str(),
                    openblas_get_corename(), units);
        std::printf("GF/s           depth   kernel  median OpenBLAS  median  ratio median\n");
        compare_all(session, number_of(2, "1008"), number_of(3, "1008"), static_cast<int>(number_of(4, "15")),
                    text_of(5, ""), text_of(6, "wall") == "cpu" ? processor_seconds : wall_seconds);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench_in_card_gemm: %s\n", error.what());
        return 1;
    }
    return 0;
}
