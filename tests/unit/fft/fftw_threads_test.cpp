// A program that plans with threads of FFTW: transforms of hpart stay on the calling thread, and the program keeps its number.
#include "host/host_fft.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include <dlfcn.h>

#ifdef HPART_HAVE_FFTW

namespace hpart
{
namespace
{

int parallel_loops = 0;

// FFTW calls this in place of its threads.
void run_one_after_another(void *(*work)(char *), char *jobs, std::size_t bytes, int count, void *)
{
    ++parallel_loops;
    for (int job = 0; job < count; ++job) work(jobs + bytes * static_cast<std::size_t>(job));
}

class FftwThreads : public ::testing::TestWithParam<bool>
{
  protected:
    void SetUp() override
    {
        library_ = dlopen(GetParam() ? "libfftw3_threads.so.3" : "libfftw3f_threads.so.3", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) GTEST_SKIP() << "FFTW's library of threads is not installed";
        if (find<int()>("planner_nthreads") == nullptr ||
            find<void(decltype(&run_one_after_another), void *)>("threads_set_callback") == nullptr)
            GTEST_SKIP() << "FFTW is older than 3.3.9";
        find<int()>("init_threads")();
        find<void(decltype(&run_one_after_another), void *)>("threads_set_callback")(run_one_after_another, nullptr);
        find<void(int)>("plan_with_nthreads")(2);
        parallel_loops = 0;
    }
    void TearDown() override
    {
        if (library_ == nullptr) return;
        if (auto *const plan_with = find<void(int)>("plan_with_nthreads")) plan_with(1);
        if (auto *const set = find<void(decltype(&run_one_after_another), void *)>("threads_set_callback"))
            set(nullptr, nullptr);
    }
    template <typename Function> Function *find(const std::string &name) const
    {
        return reinterpret_cast<Function *>(dlsym(library_, ((GetParam() ? "fftw_" : "fftwf_") + name).c_str()));
    }

  private:
    void *library_ = nullptr;
};

TEST_P(FftwThreads, TransformsStayOnTheCallingThread)
{
    constexpr std::int64_t length = 256, lines = 256;
    std::vector<std::complex<double>> in(length * lines), out(length * lines);
    for (const bool measured : {false, true}) {
        HostFftShape shape;
        shape.is_double = GetParam();
        shape.dimensions = {{length, 1, 1}};
        shape.loops = {{lines, length, length}};
        shape.measured = measured;
        const HostFft transform(shape);
        parallel_loops = 0; // a plan of several threads that is measured runs in parallel
        transform.run(in.data(), out.data());
        EXPECT_EQ(parallel_loops, 0) << "measured: " << measured;
        EXPECT_EQ(find<int()>("planner_nthreads")(), 2) << "the program's number is not put back";
    }
}

INSTANTIATE_TEST_SUITE_P(Precisions, FftwThreads, ::testing::Values(true, false),
                         [](const auto &each) { return each.param ? "Double" : "Single"; });

} // namespace
} // namespace hpart

#endif
