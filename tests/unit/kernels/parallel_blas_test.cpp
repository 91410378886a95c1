// Two processors of one core each compute at the same time, although the BLAS has one pool of threads for the process.
#include "core/error.hpp"
#include "host/thread_group.hpp"
#include "kernels/registry.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#endif

namespace hpart
{
namespace
{

// While one processor is inside one long call, another completes many short ones: were the calls serialised, none could
// begin and end before the long one has ended. No clock is looked at.
void expect_calls_inside_a_call(const char *name, const char *dims, const std::string &long_processor,
                                std::int64_t long_rows, const std::string &short_processor)
{
    std::unique_ptr<BuiltinKernel> long_one, short_one;
    std::vector<CoreList> bindings;
    try {
        auto [first, first_cores, first_limit, first_occupied] = make_builtin(name, long_processor, dims);
        auto [second, second_cores, second_limit, second_occupied] = make_builtin(name, short_processor, dims);
        long_one = std::move(first);
        short_one = std::move(second);
        bindings = {first_cores, second_cores};
    } catch (const Error &error) {
        GTEST_SKIP() << error.what(); // a machine of one core, or without OpenCL
    }
    ThreadGroup group(bindings);
    std::atomic<bool> begun{false}, ended{false};
    int completed_inside = 0;
    group.run([&](std::size_t member) {
        if (member == 0)
            long_one->prepare({0, long_rows});
        else
            short_one->prepare({0, 4});
    });
    group.run([&](std::size_t member) {
        if (member == 0) {
            begun = true;
            try {
                long_one->run();
            } catch (...) {
                ended = true; // or the other would wait for ever
                throw;
            }
            ended = true;
            return;
        }
        while (!begun) std::this_thread::yield();
        while (!ended) {
            short_one->run();
            if (!ended) ++completed_inside;
        }
    });
    long_one->release();
    short_one->release();
    EXPECT_GE(completed_inside, 10);
}

TEST(Simultaneous, DgemmOnTwoCores) { expect_calls_inside_a_call("dgemm", "n=300,k=300", "cpu:0", 4000, "cpu:1"); }

TEST(Simultaneous, ZfftOnTwoCores) { expect_calls_inside_a_call("zfft", "n=512", "cpu:0", 4096, "cpu:1"); }

TEST(Simultaneous, DgemmOnACoreAndAnOpenClUnit)
{
    expect_calls_inside_a_call("dgemm", "n=300,k=300", "opencl:0:0:1", 4000, "cpu:0");
}

TEST(Simultaneous, ZfftOnACoreAndAnOpenClUnit)
{
    expect_calls_inside_a_call("zfft", "n=512", "opencl:0:0:1", 4096, "cpu:0");
}

#ifdef HPART_HAVE_OPENBLAS

TEST(SingleThreadedBlas, PutsTheNumberOfThreadsBack)
{
    const int before = Openblas::get_num_threads();
    Openblas::set_num_threads(2);
    const int set = Openblas::get_num_threads(); // 1 where OpenBLAS is built for one thread
    const int inside = Openblas::get_parallel() == OPENBLAS_OPENMP ? set : 1; // OpenMP's is each thread's own
    {
        const SingleThreadedBlas first;
        EXPECT_EQ(Openblas::get_num_threads(), inside);
        {
            const SingleThreadedBlas second;
            EXPECT_EQ(Openblas::get_num_threads(), inside);
        }
        EXPECT_EQ(Openblas::get_num_threads(), inside);
    }
    EXPECT_EQ(Openblas::get_num_threads(), set);
    Openblas::set_num_threads(before);
}

std::ptrdiff_t threads_of_this_process()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

// A product that many threads would share begins none, on whichever thread it is.
TEST(SingleThreadedBlas, EachThreadThatHasOneComputesAlone)
{
    constexpr int n = 400;
    const std::vector<double> a(n * n, 1.0);
    std::vector<double> c(n * n);
    const auto product = [&] { multiply(n, n, n, a.data(), a.data(), c.data()); };
    { // OpenBLAS's own threads are there from the start, or from the first call
        const SingleThreadedBlas alone;
        product();
    }
    std::ptrdiff_t before = 0, after = 0;
    std::thread([&] {
        before = threads_of_this_process();
        const SingleThreadedBlas alone;
        product();
        after = threads_of_this_process();
    }).join();
    EXPECT_EQ(before, after);
    EXPECT_EQ(c[n * n - 1], n);
}

#endif

} // namespace
} // namespace hpart
