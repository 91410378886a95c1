// cuSOLVER's factorisations in the device's memory: rates of tall panels and of whole matrices, and whether they choose LAPACK's pivots.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/devices/cuda_driver.hpp"
#include "sections.hpp"

#include <cmath>
#include <limits>

#ifdef HPART_HAVE_LAPACK
#include "out_of_card/factorisations/lapack.hpp"
#endif

namespace gpu_bench
{

namespace
{

using namespace hpart;

// CUDA's numbers.
constexpr int real_double = 1, lower = 0;

class CuSolver
{
  public:
    explicit CuSolver(const CudaDriver &driver)
    {
        const auto library = driver.load({"cuSOLVER", "libcusolver", "cusolverGetProperty", 11}, "");
        library.bind(create_, "cusolverDnCreate");
        library.bind(create_params_, "cusolverDnCreateParams");
        library.bind(getrf_room_, "cusolverDnXgetrf_bufferSize");
        library.bind(getrf_, "cusolverDnXgetrf");
        library.bind(geqrf_room_, "cusolverDnXgeqrf_bufferSize");
        library.bind(geqrf_, "cusolverDnXgeqrf");
        library.bind(potrf_room_, "cusolverDnXpotrf_bufferSize");
        library.bind(potrf_, "cusolverDnXpotrf");
        check(create_(&handle_), "cusolverDnCreate");
        check(create_params_(&params_), "cusolverDnCreateParams");
    }

    struct Room {
        std::size_t device = 0, host = 0;
    };
    Room getrf_room(std::int64_t m, std::int64_t n, CudaAddress a) const
    {
        Room room;
        check(getrf_room_(handle_, params_, m, n, real_double, a, m, real_double, &room.device, &room.host),
              "bufferSize");
        return room;
    }
    Room geqrf_room(std::int64_t m, std::int64_t n, CudaAddress a, CudaAddress tau) const
    {
        Room room;
        check(geqrf_room_(handle_, params_, m, n, real_double, a, m, real_double, tau, real_double, &room.device,
                          &room.host),
              "bufferSize");
        return room;
    }
    Room potrf_room(std::int64_t n, CudaAddress a) const
    {
        Room room;
        check(potrf_room_(handle_, params_, lower, n, real_double, a, n, real_double, &room.device, &room.host),
              "bufferSize");
        return room;
    }
    void getrf(std::int64_t m, std::int64_t n, CudaAddress a, CudaAddress pivots, CudaAddress work, Room room,
               void *host, CudaAddress info) const
    {
        check(getrf_(handle_, params_, m, n, real_double, a, m, pivots, real_double, work, room.device, host, room.host,
                     info),
              "cusolverDnXgetrf");
    }
    void geqrf(std::int64_t m, std::int64_t n, CudaAddress a, CudaAddress tau, CudaAddress work, Room room, void *host,
               CudaAddress info) const
    {
        check(geqrf_(handle_, params_, m, n, real_double, a, m, real_double, tau, real_double, work, room.device, host,
                     room.host, info),
              "cusolverDnXgeqrf");
    }
    void potrf(std::int64_t n, CudaAddress a, CudaAddress work, Room room, void *host, CudaAddress info) const
    {
        check(potrf_(handle_, params_, lower, n, real_double, a, n, real_double, work, room.device, host, room.host,
                     info),
              "cusolverDnXpotrf");
    }

  private:
    using Handle = void *;
    using Size = std::int64_t;
    using Bytes = std::size_t;
    using Address = CudaAddress; // the interface's pointers to device memory
    static void check(int status, const char *call)
    {
        if (status != 0) fail(Status::device, call, " returns ", status);
    }
    int (*create_)(Handle *) = nullptr;
    int (*create_params_)(Handle *) = nullptr;
    int (*getrf_room_)(Handle, Handle, Size, Size, int, Address, Size, int, Bytes *, Bytes *) = nullptr;
    int (*getrf_)(Handle, Handle, Size, Size, int, Address, Size, Address, int, Address, Bytes, void *, Bytes,
                  Address) = nullptr;
    int (*geqrf_room_)(Handle, Handle, Size, Size, int, Address, Size, int, Address, int, Bytes *, Bytes *) = nullptr;
    int (*geqrf_)(Handle, Handle, Size, Size, int, Address, Size, int, Address, int, Address, Bytes, void *, Bytes,
                  Address) = nullptr;
    int (*potrf_room_)(Handle, Handle, int, Size, int, Address, Size, int, Bytes *, Bytes *) = nullptr;
    int (*potrf_)(Handle, Handle, int, Size, int, Address, Size, int, Address, Bytes, void *, Bytes, Address) = nullptr;
    Handle handle_ = nullptr, params_ = nullptr;
};

class Memory
{
  public:
    Memory(const CudaDriver &driver, std::size_t bytes) : driver_(driver)
    {
        driver.check(driver.memory_alloc(&address_, std::max<std::size_t>(bytes, 256)), "cuMemAlloc");
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory() { driver_.memory_free(address_); }
    CudaAddress address() const { return address_; }

  private:
    const CudaDriver &driver_;
    CudaAddress address_ = 0;
};

class Trial
{
  public:
    Trial(const Subject &subject, Results &results)
        : subject_(subject), results_(results), context_(subject.libraries, subject.cuda_number()),
          driver_(context_.driver()), current_(context_), solver_(driver_)
    {
    }

    void time_all()
    {
        for (const std::int64_t m : {24576, 12288})
            for (const std::int64_t n : {64, 128, 256, 512, 1024})
                if (has_time()) time(m, n);
        for (const std::int64_t n : {6656, 24576})
            if (has_time()) time(n, n);
    }

#ifdef HPART_HAVE_LAPACK
    void compare_pivots()
    {
        constexpr std::int64_t m = 3000, n = 192;
        const auto compare = [&](const char *what, const auto &element) {
            std::vector<double> a(static_cast<std::size_t>(m * n));
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < m; ++i) a[static_cast<std::size_t>(i + j * m)] = element(i, j);
            compare_pivots(what, m, n, std::move(a));
        };
        const auto random = [](std::int64_t i, std::int64_t j) { return value_at<double>(i + j * m, 3); };
        compare("random", random);
        compare("plus or minus 1", [&](auto i, auto j) { return random(i, j) < 0 ? -1.0 : 1.0; });
        compare("column 40 is 0", [&](auto i, auto j) { return j == 40 ? 0.0 : random(i, j); });
        compare("a NaN in row 2000 of column 40", [&](auto i, auto j) {
            return i == 2000 && j == 40 ? std::numeric_limits<double>::quiet_NaN() : random(i, j);
        });
        compare("a NaN in row 2000 of column 0", [&](auto i, auto j) {
            return i == 2000 && j == 0 ? std::numeric_limits<double>::quiet_NaN() : random(i, j);
        });
        compare("infinity in row 2000 of column 40", [&](auto i, auto j) {
            return i == 2000 && j == 40 ? std::numeric_limits<double>::infinity() : random(i, j);
        });
    }
#endif

  private:
    bool has_time() const { return results_.seconds_left() > 5; }

    void copy_in(CudaAddress to, const void *from, std::size_t bytes) const
    {
        driver_.check(driver_.copy_in(to, from, bytes, nullptr), "cuMemcpyHtoDAsync");
        finish();
    }
    void copy_out(void *to, CudaAddress from, std::size_t bytes) const
    {
        driver_.check(driver_.copy_out(to, from, bytes, nullptr), "cuMemcpyDtoHAsync");
        finish();
    }
    void finish() const { driver_.check(driver_.stream_synchronize(nullptr), "cuStreamSynchronize"); }

    // The least of three.
    template <typename Job>
    double seconds_on(const Memory &a, const Memory &fresh, std::size_t bytes, const Job &job) const
    {
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 4; ++i) {
            driver_.check(driver_.copy_on_device(a.address(), fresh.address(), bytes, nullptr), "cuMemcpyDtoDAsync");
            finish();
            const auto seconds = seconds_of([&] {
                job();
                finish();
            });
            if (i > 0) best = std::min(best, seconds);
        }
        return best;
    }

    void tell(const char *what, std::int64_t m, std::int64_t n, double seconds, double flops, CuSolver::Room room)
    {
        results_.add({{"device", subject_.spec},
                      {"operation", what},
                      {"m", text(m)},
                      {"n", text(n)},
                      {"wall_seconds", precise(seconds)},
                      {"wall_gflops", precise(flops / seconds * 1e-9)},
                      {"work_bytes", text(room.device)},
                      {"host_work_bytes", text(room.host)}});
        results_.say(text(subject_.spec, " cuSOLVER ", what, " ", m, " x ", n, ": ", number(seconds * 1e3), " ms, ",
                          number(flops / seconds * 1e-12), " TFLOP/s, ", number(seconds / static_cast<double>(n) * 1e6),
                          " us a column, work ", room.device, " and ", room.host, " bytes"));
    }

    void time(std::int64_t m, std::int64_t n)
    {
        const auto count = m * n;
        const auto bytes = static_cast<std::size_t>(count) * sizeof(double);
        std::vector<double> values(static_cast<std::size_t>(count));
        fill(values.data(), count, 8);
        if (m == n)
            for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i * (n + 1))] = static_cast<double>(n);
        const Memory fresh(driver_, bytes), a(driver_, bytes), pivots(driver_, static_cast<std::size_t>(n) * 8),
            info(driver_, 8);
        copy_in(fresh.address(), values.data(), bytes);
        const auto columns = static_cast<double>(n), rows = static_cast<double>(m);
        const auto lu = solver_.getrf_room(m, n, a.address()),
                   qr = solver_.geqrf_room(m, n, a.address(), pivots.address());
        const auto cholesky = m == n ? solver_.potrf_room(n, a.address()) : CuSolver::Room{};
        const Memory work(driver_, std::max({lu.device, qr.device, cholesky.device}));
        std::vector<char> host(std::max({lu.host, qr.host, cholesky.host}));
        tell("getrf", m, n,
             seconds_on(a, fresh, bytes,
                        [&] {
                            solver_.getrf(m, n, a.address(), pivots.address(), work.address(), lu, host.data(),
                                          info.address());
                        }),
             columns * columns * (rows - columns / 3), lu);
        tell("geqrf", m, n,
             seconds_on(a, fresh, bytes,
                        [&] {
                            solver_.geqrf(m, n, a.address(), pivots.address(), work.address(), qr, host.data(),
                                          info.address());
                        }),
             2 * columns * columns * (rows - columns / 3), qr);
        if (m == n)
            tell("potrf", m, n,
                 seconds_on(
                     a, fresh, bytes,
                     [&] { solver_.potrf(n, a.address(), work.address(), cholesky, host.data(), info.address()); }),
                 columns * columns * columns / 3, cholesky);
    }

#ifdef HPART_HAVE_LAPACK
    void compare_pivots(const char *what, std::int64_t m, std::int64_t n, std::vector<double> values)
    {
        const auto bytes = values.size() * sizeof(double);
        const Memory a(driver_, bytes), pivots(driver_, static_cast<std::size_t>(n) * 8), info(driver_, 8);
        copy_in(a.address(), values.data(), bytes);
        const auto room = solver_.getrf_room(m, n, a.address());
        const Memory work(driver_, room.device);
        std::vector<char> host(room.host);
        solver_.getrf(m, n, a.address(), pivots.address(), work.address(), room, host.data(), info.address());
        finish();
        std::vector<std::int64_t> found(static_cast<std::size_t>(n));
        std::int32_t found_info = 0;
        std::vector<double> factors(values.size());
        copy_out(found.data(), pivots.address(), found.size() * 8);
        copy_out(&found_info, info.address(), sizeof found_info);
        copy_out(factors.data(), a.address(), bytes);
        std::vector<blasint> expected(static_cast<std::size_t>(n));
        const auto expected_info = Routines<double>::getrf(static_cast<blasint>(m), static_cast<blasint>(n),
                                                           values.data(), static_cast<blasint>(m), expected.data());
        std::int64_t first = 0;
        while (first < n && found[static_cast<std::size_t>(first)] == expected[static_cast<std::size_t>(first)])
            ++first;
        double apart = 0;
        std::int64_t not_numbers = 0, not_numbers_of_lapack = 0;
        for (std::size_t k = 0; k < factors.size(); ++k) {
            not_numbers += std::isnan(factors[k]) ? 1 : 0;
            not_numbers_of_lapack += std::isnan(values[k]) ? 1 : 0;
            if (const auto difference = std::abs(factors[k] - values[k]); difference > apart) apart = difference;
        }
        results_.say(text(subject_.spec, " cuSOLVER getrf of ", m, " x ", n, ", ", what, ": ",
                          first == n ? text("LAPACK's pivots")
                                     : text("pivot ", first + 1, " is row ", found[static_cast<std::size_t>(first)],
                                            ", LAPACK's row ", expected[static_cast<std::size_t>(first)]),
                          ", info ", found_info, " (", expected_info, "), NaN ", not_numbers, " (",
                          not_numbers_of_lapack, "), factors apart by ", rough(apart)));
    }
#endif

    const Subject &subject_;
    Results &results_;
    CudaContext context_;
    const CudaDriver &driver_;
    CudaCurrent current_;
    CuSolver solver_;
};

} // namespace

void measure_cusolver(const Subject &subject, Results &results)
{
    if (!subject.is_cuda() || subject.is_small) return;
    Trial trial(subject, results);
    trial.time_all();
#ifdef HPART_HAVE_LAPACK
    trial.compare_pivots();
#endif
}

} // namespace gpu_bench
