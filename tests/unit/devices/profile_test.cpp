#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "host/thread_use.hpp"
#include "out_of_card/devices/registry.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpart
{

namespace
{

namespace fs = std::filesystem;

// A folder of the test's own, which is the cache folder as well.
class Profile : public testing::Test
{
  protected:
    void SetUp() override
    {
        info_.name = "a device";
        info_.driver = "its driver 1";
    }

    fs::path usual() const { return folder_ / "hpart" / "devices.profile"; }
    std::string named() const { return folder_ / "named.profile"; }

    const support::Folder own_;
    const fs::path &folder_ = own_.path();
    const support::Variable cache_{"XDG_CACHE_HOME", folder_};
    DeviceInfo info_;
};

using Numbers = std::vector<double>;

void expect_refused_profile(const std::string &content, std::string_view reason)
{
    support::expect_error(Status::format, {"the file:", reason}, [&] { parse_profile(content, "the file"); });
}

// Two threads on one core wait half of the time.
TEST_F(Profile, WhatWasMeasuredOnABusyCoreIsNotWritten)
{
    if (!fs::exists("/proc/self/schedstat")) GTEST_SKIP() << "the system does not tell how long threads wait";
    auto profile = DeviceProfile::in_usual_file(info_);
    EXPECT_FALSE(profile.numbers("rate"));
    const auto spin = [core = usable_cores().front()] {
        const BoundMeanwhile bound({core});
        for (const auto begin = Clock::now(); seconds_since(begin) < 0.2;) {}
    };
    std::thread other([&] {
        spin();
        profile.keep("rate", Numbers{1}); // before this thread ends, whose waiting counts
    });
    spin();
    other.join();
    EXPECT_EQ(profile.numbers("rate"), Numbers{1});
    EXPECT_FALSE(fs::exists(usual()));
    profile.keep("other", Numbers{2});
    EXPECT_TRUE(DeviceProfile::in_usual_file(info_).numbers("other"));
    EXPECT_FALSE(DeviceProfile::in_usual_file(info_).numbers("rate"));
}

TEST_F(Profile, KeepsInMemory)
{
    DeviceProfile profile;
    EXPECT_FALSE(profile.numbers("a"));
    profile.keep("a", Numbers{1, 2});
    profile.keep("b", "text");
    EXPECT_EQ(profile.numbers("a"), (Numbers{1, 2}));
    EXPECT_EQ(profile.text("b"), "text");
    EXPECT_FALSE(profile.text("a"));
    EXPECT_FALSE(profile.numbers("b"));
    profile.keep("a", "now a text");
    EXPECT_FALSE(profile.numbers("a"));
    EXPECT_EQ(profile.text("a"), "now a text");
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Profile, KeepsInTheUsualFile)
{
    const Numbers numbers = {1.5e10, 0.1, -3, std::numeric_limits<double>::denorm_min()};
    {
        auto profile = DeviceProfile::in_usual_file(info_);
        EXPECT_FALSE(fs::exists(usual())); // nothing measured, nothing written
        profile.keep("link", numbers);
        profile.keep("gemm.d-kernel", "blocked 8 x 24");
        profile.keep("empty", "");
    }
    auto profile = DeviceProfile::in_usual_file(info_);
    EXPECT_EQ(profile.numbers("link"), numbers);
    EXPECT_EQ(profile.text("gemm.d-kernel"), "blocked 8 x 24");
    EXPECT_EQ(profile.text("empty"), "");
    // Nothing is known of another driver, number of units, device or bus.
    for (const int k : {0, 1, 2, 3, 4}) {
        auto other = info_;
        if (k == 0) other.driver = "its driver 2";
        if (k == 1) other.compute_units = 7;
        if (k == 2) other.name = "another";
        if (k == 3) other.on_host_cores = true;
        if (k == 4) other.bus = "0000:05:00.0";
        EXPECT_FALSE(DeviceProfile::in_usual_file(other).numbers("link")) << k;
    }
    auto same = info_;
    same.spec = "opencl:3:1"; // where it is plugged in does not matter
    EXPECT_TRUE(DeviceProfile::in_usual_file(same).numbers("link"));
}

TEST_F(Profile, WhatCannotStandInTheFileIsNotKept)
{
    auto profile = DeviceProfile::in_usual_file(info_);
    profile.keep("", Numbers{1});
    profile.keep("with blank", Numbers{1});
    profile.keep("nan", Numbers{1, std::numeric_limits<double>::quiet_NaN()});
    profile.keep("none", Numbers{});
    profile.keep("quote", "a\"b");
    profile.keep("line", "a\nb");
    EXPECT_FALSE(fs::exists(usual()));
    for (const auto *name : {"", "with blank", "nan", "none"}) EXPECT_FALSE(profile.numbers(name));
    for (const auto *name : {"quote", "line"}) EXPECT_FALSE(profile.text(name));
}

TEST_F(Profile, NamesOfDevicesMayHoldAnything)
{
    info_.name = "a \"name\"\n[with] = everything\t\x01 #";
    DeviceProfile::in_usual_file(info_).keep("x", Numbers{1});
    EXPECT_EQ(DeviceProfile::in_usual_file(info_).numbers("x"), Numbers{1});
}

TEST_F(Profile, WhatOthersWroteMeanwhileStays)
{
    auto other_info = info_;
    other_info.name = "another";
    auto one = DeviceProfile::in_usual_file(info_), second = DeviceProfile::in_usual_file(info_),
         other = DeviceProfile::in_usual_file(other_info);
    one.keep("a", Numbers{1});
    second.keep("b", Numbers{2});
    other.keep("a", Numbers{3});
    one.keep("c", Numbers{4});
    second.keep("a", Numbers{5});
    const auto again = DeviceProfile::in_usual_file(info_);
    EXPECT_EQ(again.numbers("a"), Numbers{5});
    EXPECT_EQ(again.numbers("b"), Numbers{2});
    EXPECT_EQ(again.numbers("c"), Numbers{4});
    EXPECT_EQ(DeviceProfile::in_usual_file(other_info).numbers("a"), Numbers{3});
}

TEST_F(Profile, ManyThreadsKeepAtTheSameTime)
{
    auto profile = DeviceProfile::in_usual_file(info_);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&profile, t] {
            for (int k = 0; k < 20; ++k) profile.keep(text("n", t, ".", k), Numbers{static_cast<double>(100 * t + k)});
        });
    for (auto &thread : threads) thread.join();
    const auto again = DeviceProfile::in_usual_file(info_);
    for (int t = 0; t < 4; ++t)
        for (int k = 0; k < 20; ++k)
            EXPECT_EQ(again.numbers(text("n", t, ".", k)), Numbers{static_cast<double>(100 * t + k)});
}

// Each process reads, changes and writes the whole file.
TEST_F(Profile, ProcessesDoNotLoseEachOthersValues)
{
    constexpr int processes = 3, values = 40;
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process) {
        const auto child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            auto profile = DeviceProfile::in_file(named(), info_);
            for (int k = 0; k < values; ++k) profile.keep(text("n", process, ".", k), Numbers{1.0 * k});
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const auto child : children) {
        int status = 1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    const auto all = DeviceProfile::in_file(named(), info_);
    for (int process = 0; process < processes; ++process)
        for (int k = 0; k < values; ++k)
            EXPECT_EQ(all.numbers(text("n", process, ".", k)), Numbers{1.0 * k}) << process << ' ' << k;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1); // no lock is left
}

TEST_F(Profile, ABrokenUsualFileIsReplaced)
{
    fs::create_directories(usual().parent_path());
    for (const auto *content : {"", "nonsense", "hpart device profile 2\n", "hpart device profile 1\n[a]\nx = y\n"}) {
        write_file(usual(), content);
        auto profile = DeviceProfile::in_usual_file(info_);
        EXPECT_FALSE(profile.numbers("a"));
        profile.keep("a", Numbers{1});
        EXPECT_EQ(DeviceProfile::in_usual_file(info_).numbers("a"), Numbers{1});
    }
}

TEST_F(Profile, ANamedFileMustBeAProfile)
{
    auto profile = DeviceProfile::in_file(named(), info_);
    EXPECT_TRUE(fs::exists(named()));
    profile.keep("a", Numbers{1});
    EXPECT_EQ(DeviceProfile::in_file(named(), info_).numbers("a"), Numbers{1});
    const auto expect_no_profile = [&](Status status, const std::string &path) {
        support::expect_error(status, {folder_.string()}, [&] { DeviceProfile::in_file(path, info_); });
    };
    write_file(named(), "a letter\n");
    expect_no_profile(Status::format, named());
    expect_no_profile(Status::io, folder_);
    expect_no_profile(Status::io, folder_ / "no folder" / "file");
    // It was a profile when it was opened: what it is now is not ours.
    profile.keep("b", Numbers{2});
    EXPECT_EQ(profile.numbers("b"), Numbers{2});
    EXPECT_EQ(read_file(named()), "a letter\n");
}

TEST_F(Profile, DevicesUseTheirFile)
{
    Options options;
    options.set_text("profile_file", named());
    open_devices("host", options).sessions[0]->profile().keep("a", Numbers{1});
    EXPECT_EQ(open_devices("host", options).sessions[0]->profile().numbers("a"), Numbers{1});
    EXPECT_FALSE(open_devices("host", {}).sessions[0]->profile().numbers("a"));
    EXPECT_FALSE(fs::exists(usual()));
    open_devices("host", {}).sessions[0]->profile().keep("a", Numbers{2});
    EXPECT_TRUE(fs::exists(usual()));
    write_file(named(), "");
    EXPECT_THROW(open_devices("host", options), Error);
}

TEST_F(Profile, NoPlaceForFilesIsNoFailure)
{
    const support::Variable none("XDG_CACHE_HOME", "/proc/no such place");
    auto profile = DeviceProfile::in_usual_file(info_);
    profile.keep("a", Numbers{1});
    EXPECT_EQ(profile.numbers("a"), Numbers{1});
}

TEST_F(Profile, APipeIsNotWaitedFor)
{
    ASSERT_TRUE(fs::create_directories(usual().parent_path()));
    ASSERT_EQ(::mkfifo(usual().c_str(), 0600), 0);
    EXPECT_FALSE(DeviceProfile::in_usual_file(info_).numbers("a"));
    EXPECT_THROW(DeviceProfile::in_file(usual(), info_), Error);
}

TEST_F(Profile, TheTextIsStrict)
{
    const std::string head = "hpart device profile 1\n";
    expect_refused_profile("", "is empty");
    expect_refused_profile("hpart device profile 2\n", "begins with");
    expect_refused_profile("\n" + head, "begins with");
    expect_refused_profile(head + "a = 1\n", "before the first device");
    expect_refused_profile(head + "[a]\n[a]\n", "second time");
    expect_refused_profile(head + "[a]\nx = 1\nx = 2\n", "second time");
    for (const auto *line : {"[]",           "[",          "[a",      "x",        "x=1",     "x =1",
                             " x = 1",       "x = ",       "x = 1 ",  "x = 1  2", "x = nan", "x = inf",
                             "x = 1e999",    "x = 0x1",    "x = +1",  "x y = 1",  "x = \"",  "x = \"a",
                             "x = \"a\"b\"", "x = \"a\" ", "x = 1\r", "x = 1\t2", "\x01"})
        expect_refused_profile(head + "[device]\n" + line + "\n", "the file:3: ");
    const auto sections =
        parse_profile(head + "# a remark\n\n[a]\nx = 1 -2.5e-3\n[b [c]]\ny = \"t = [u]\"", "the file");
    EXPECT_EQ(sections.size(), 2);
    EXPECT_EQ(std::get<Numbers>(sections.at("a").at("x")), (Numbers{1, -2.5e-3}));
    EXPECT_EQ(std::get<std::string>(sections.at("b [c]").at("y")), "t = [u]");
    EXPECT_EQ(parse_profile(format_profile(sections), "again"), sections);
}

} // namespace

} // namespace hpart
