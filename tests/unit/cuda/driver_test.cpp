// Finding the driver, and the ends of its life: forks, exits, lost contexts, openings after the last
// release.
#include "core/error.hpp"
#include "fake.hpp"
#include "hpart.h"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <sys/wait.h>
#include <unistd.h>

using namespace hpart;
using support::Folder;
using support::Variable;

namespace
{

using CudaDrivers = fake::Test;

// Something of each library on a device.
struct Everything {
    DeviceSession session;
    std::shared_ptr<InCardGemm> gemm = in_card_gemm(session, Scalar::d);
    std::shared_ptr<InCardFft> fft = in_card_fft(session);
    SessionBuffer buffer = session.allocate(1 << 16);
    std::unique_ptr<DeviceQueue> queue = session.device().make_queue();
    std::unique_ptr<PinnedMemory> pinned = session.device().allocate_pinned(64);
    Event event;

    explicit Everything(std::int64_t device = 0) : session(fake::open(device), std::nullopt)
    {
        const DeviceMatrix matrix{buffer.get(), 0, 32};
        event = session.device().launch(*queue, gemm->product({32, 32, 32, {}, {}, 1, 0, matrix, matrix, matrix}), {});
        DeviceFftShape shape;
        shape.outer = 4;
        shape.length = 8;
        event = session.device().launch(*queue, fft->transform(shape, {buffer.get(), 0}, nullptr), std::vector{event});
        fft->twiddle({});
    }
};

TEST_F(CudaDrivers, OpenAgainAfterTheLastRelease)
{
    for (int time = 0; time < 3; ++time) {
        const Everything everything;
        EXPECT_EQ(everything.event->wait(), EventState::done);
        EXPECT_EQ(fake_cuda::live().contexts, 1);
    }
    EXPECT_EQ(fake_cuda::live().contexts, 0);
    EXPECT_EQ(fake_cuda::used_bytes(), 0);
}

TEST_F(CudaDrivers, DevicesHaveContextsOfTheirOwn)
{
    fake_cuda::reset({.devices = 3});
    const Everything one(1), other(2), again(1);
    for (const auto *all : {&one, &other, &again}) EXPECT_EQ(all->event->wait(), EventState::done);
    EXPECT_EQ(fake_cuda::live().contexts, 2);
}

TEST_F(CudaDrivers, AForkedChildGetsAClearError)
{
    const auto device = fake::open();
    const auto child = fake_cuda::fork_process();
    if (child == 0) {
        support::expect_error(Status::device, {"forked"}, [] { fake::open(); });
        support::expect_error(Status::device, {"forked"}, [&] { device->allocate(64); });
        _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(CudaDrivers, NothingIsGivenBackOnceTheProcessExits)
{
    auto everything = std::make_unique<Everything>();
    EXPECT_EQ(everything->event->wait(), EventState::done);
    fake_cuda::begin_exit();
    support::expect_error(Status::device, {"exiting"}, [&] { everything->session.device().allocate(1); });
    everything.reset();
    EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>());
    fake_cuda::reset();
}

TEST_F(CudaDrivers, AContextThatOthersResetIsAnErrorOfTheDevice)
{
    auto everything = std::make_unique<Everything>();
    EXPECT_EQ(everything->event->wait(), EventState::done);
    fake_cuda::lose_context(0);
    support::expect_error(Status::device, {"(709)"}, [&] { everything->session.device().allocate(1); });
    const Everything next;
    EXPECT_EQ(next.event->wait(), EventState::done);
    everything.reset();
}

TEST_F(CudaDrivers, SayWhyNoDeviceIsListed)
{
    std::string reason;
    fake_cuda::reset({.init_failure = 802}); // before NVIDIA's fabric manager runs
    EXPECT_TRUE(list_cuda_devices(fake::libraries, &reason).empty());
    EXPECT_EQ(reason, "cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802)");
    fake_cuda::reset({.devices = 0});
    EXPECT_TRUE(list_cuda_devices(fake::libraries, &reason).empty());
    EXPECT_EQ(reason, "the CUDA driver finds no device on this machine");
    EXPECT_TRUE(list_cuda_devices({"/nowhere/libcuda.so.1", "", ""}, &reason).empty());
    EXPECT_EQ(reason, "the CUDA driver cannot be loaded: there is no /nowhere/libcuda.so.1");
}

const CudaLibraryKind cublas{"cuBLAS", "libcublas", "cublasGetProperty", 11};

// A file without a version in its name, found in a toolkit that is newer than the driver.
TEST_F(CudaDrivers, RefuseLibrariesOfANewerCuda)
{
    fake_cuda::reset({.library_cuda = 13});
    {
        DeviceSession session(fake::open(), std::nullopt);
        const std::string rest = " is of CUDA 13; this driver runs CUDA 12.4 and older: install ";
        support::expect_error(Status::unsupported, {"cuBLAS (", FAKE_CUDA_LIBRARY, rest + "cuBLAS of CUDA 12"},
                              [&] { in_card_gemm(session, Scalar::d); });
        support::expect_error(Status::unsupported, {"cuFFT (", FAKE_CUDA_LIBRARY, rest + "cuFFT of CUDA 12"},
                              [&] { in_card_fft(session); });
    }
    fake_cuda::reset({.driver_version = 13000, .library_cuda = 13});
    DeviceSession newer(fake::open(), std::nullopt);
    EXPECT_EQ(in_card_gemm(newer, Scalar::d)->name(), "cublas");
}

// Codes after which CUDA asks for a new process.
TEST_F(CudaDrivers, NameErrorsThatLast)
{
    const CudaDriver driver(fake::libraries);
    for (const int code : {226, 700, 719, 721, 810, 911})
        EXPECT_NE(driver.error_name(CudaResult{code}).find("start another"), std::string::npos) << code;
    EXPECT_EQ(driver.error_name(CudaResult{709}), "CUDA_ERROR_CONTEXT_IS_DESTROYED (709)");
}

// NVIDIA's names for the fake.
void link_libraries(const Folder &folder)
{
    for (const auto *name : {"libcuda.so.1", "libcublas.so.12", "libcufft.so.11"})
        std::filesystem::create_symlink(FAKE_CUDA_LIBRARY, folder.path() / name);
}

TEST_F(CudaDrivers, AreLookedForInFoldersOfTheEnvironmentFirst)
{
    const Folder folder;
    link_libraries(folder);
    const Variable path("HPART_CUDA_PATH", "/nowhere:" + folder.path().string());
    EXPECT_EQ(list_cuda_devices().size(), 1);
    const auto names = cuda_library_names("", cublas, 12040);
    EXPECT_EQ(names.at(0), "/nowhere/libcublas.so.12"); // the driver runs no CUDA 13
    EXPECT_EQ(names.at(1), folder.path() / "libcublas.so.12");
    EXPECT_EQ(names.at(2), "libcublas.so.12");
    DeviceSession session(make_cuda_device(0), std::nullopt);
    EXPECT_EQ(in_card_gemm(session, Scalar::d)->name(), "cublas");
    EXPECT_EQ(in_card_fft(session)->name(), "cufft");
}

TEST_F(CudaDrivers, LibrariesAreFoundWhereContainersAndPythonHaveThem)
{
    const Folder folder;
    const auto packages = folder.path() / "lib/python3.12/site-packages/nvidia";
    for (const auto *package : {"cublas", "cu13"}) std::filesystem::create_directories(packages / package / "lib");
    const Variable root("VIRTUAL_ENV", folder.path());
    const auto names = cuda_library_names("", cublas, 13000);
    const auto place = [&](const std::string &name) { return std::find(names.begin(), names.end(), name); };
    EXPECT_NE(place("/usr/local/nvidia/lib64/libcublas.so.13"), names.end());
    EXPECT_NE(place(packages / "cu13/lib/libcublas.so.13"), names.end());
    EXPECT_LT(place(packages / "cublas/lib/libcublas.so.12"), place("libcublas.so.11"));
}

// The arrays of one device are pinned for all.
TEST_F(CudaDrivers, PinnedMemoryIsThatOfAllDevices)
{
    const Folder folder;
    link_libraries(folder);
    const Variable path("HPART_CUDA_PATH", folder.path());
    constexpr std::int64_t n = 300;
    for (const auto *spec : {"cuda:0,cuda:1", "host,cuda:1"}) {
        fake_cuda::reset({.devices = 2, .memory_bytes = 64 << 20});
        hpart_device *device = nullptr;
        ASSERT_EQ(hpart_device_open(spec, nullptr, &device), HPART_SUCCESS) << hpart_last_error();
        auto *const a = static_cast<double *>(hpart_alloc_pinned(device, 2 * n * n * sizeof(double)));
        ASSERT_NE(a, nullptr) << hpart_last_error();
        EXPECT_EQ(fake_cuda::live().pinned, 1);
        auto *const c = a + n * n;
        std::fill(a, c, 1.0);
        hpart_report *report = nullptr;
        EXPECT_EQ(hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 1, a, n, a, n,
                              0, c, n, nullptr, &report),
                  HPART_SUCCESS)
            << hpart_last_error();
        EXPECT_TRUE(std::all_of(c, c + n * n, [](double value) { return value == n; }));
        std::int64_t staged = -1;
        EXPECT_EQ(hpart_report_get_int(report, "staged_bytes", &staged), HPART_SUCCESS);
        EXPECT_EQ(staged, 0) << spec;
        hpart_report_destroy(report);
        hpart_free_pinned(device, a);
        hpart_device_close(device);
        fake::expect_clean();
    }
}

// The caller's memory is copied as pinned memory, by all CUDA devices, until it is unpinned.
TEST_F(CudaDrivers, TheCallersMemoryIsPinned)
{
    const Folder folder;
    link_libraries(folder);
    const Variable path("HPART_CUDA_PATH", folder.path());
    constexpr std::int64_t n = 300;
    constexpr std::int64_t bytes = n * n * sizeof(double);
    for (const auto *spec : {"cuda:0,cuda:1", "host,cuda:1"}) {
        std::vector<double> a(n * n, 1.0), c(n * n);
        fake_cuda::reset({.devices = 2, .memory_bytes = 64 << 20, .read_only_memory = a.data()});
        hpart_device *device = nullptr;
        ASSERT_EQ(hpart_device_open(spec, nullptr, &device), HPART_SUCCESS) << hpart_last_error();
        const auto staged_bytes = [&] {
            hpart_report *report = nullptr;
            std::int64_t staged = -1;
            EXPECT_EQ(hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 1, a.data(),
                                  n, a.data(), n, 0, c.data(), n, nullptr, &report),
                      HPART_SUCCESS)
                << hpart_last_error();
            EXPECT_TRUE(std::all_of(c.begin(), c.end(), [&](double value) { return value == n; }));
            EXPECT_EQ(hpart_report_get_int(report, "staged_bytes", &staged), HPART_SUCCESS);
            hpart_report_destroy(report);
            return staged;
        };
        EXPECT_GT(staged_bytes(), 0) << spec;
        const auto of_staging = fake_cuda::live().pinned;
        EXPECT_EQ(hpart_pin(device, a.data(), bytes), HPART_SUCCESS) << hpart_last_error();
        EXPECT_EQ(hpart_pin(device, c.data(), bytes), HPART_SUCCESS) << hpart_last_error();
        EXPECT_EQ(fake_cuda::live().pinned, of_staging + 2);
        EXPECT_EQ(staged_bytes(), 0) << spec;

        hpart_device *other = nullptr; // has the same driver
        ASSERT_EQ(hpart_device_open("cuda:0", nullptr, &other), HPART_SUCCESS) << hpart_last_error();
        EXPECT_EQ(hpart_pin(other, a.data(), 8), HPART_ERR_INVALID_ARGUMENT);
        EXPECT_NE(std::string(hpart_last_error()).find("some of the memory is registered with CUDA already"),
                  std::string::npos);
        hpart_device_close(other);

        hpart_unpin(device, a.data());
        hpart_unpin(device, c.data());
        EXPECT_EQ(fake_cuda::live().pinned, of_staging);
        EXPECT_GT(staged_bytes(), 0) << spec;
        EXPECT_EQ(hpart_pin(device, c.data(), bytes), HPART_SUCCESS) << hpart_last_error();
        hpart_device_close(device); // unpins it
        fake::expect_clean();
    }
}

// A driver that refuses leaves nothing behind.
TEST_F(CudaDrivers, MayRefuseToPin)
{
    const Folder folder;
    link_libraries(folder);
    const Variable path("HPART_CUDA_PATH", folder.path());
    hpart_device *device = nullptr;
    ASSERT_EQ(hpart_device_open("cuda:0", nullptr, &device), HPART_SUCCESS) << hpart_last_error();
    double a[4];
    const auto before = fake_cuda::calls();
    ASSERT_EQ(hpart_pin(device, a, sizeof a), HPART_SUCCESS) << hpart_last_error();
    const auto calls = fake_cuda::calls() - before;
    ASSERT_GE(calls, 1);
    hpart_unpin(device, a);
    for (std::int64_t k = 1; k <= calls; ++k) {
        fake_cuda::fail_call(k, 2);
        const auto status = hpart_pin(device, a, sizeof a);
        fake_cuda::fail_call(0, 0);
        EXPECT_NE(status, HPART_SUCCESS) << k;
        EXPECT_EQ(fake_cuda::live().pinned, 0);
        EXPECT_EQ(hpart_pin(device, a, sizeof a), HPART_SUCCESS) << hpart_last_error();
        hpart_unpin(device, a);
    }
    hpart_device_close(device);
    fake::expect_clean();
}

} // namespace
