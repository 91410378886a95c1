// Cores that processors share, and threads that leave the cores they were given.
#include "core/error.hpp"
#include "measurement/measure.hpp"
#include "measurement/resumable_file.hpp"
#include "measurement/team_run.hpp"

#include "fake_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Masks of so many bytes are too small for the system.
static std::size_t refused_mask_bytes = 0;

extern "C" int sched_getaffinity(pid_t id, std::size_t bytes, cpu_set_t *set) noexcept
{
    if (bytes <= refused_mask_bytes) {
        errno = EINVAL;
        return -1;
    }
    const auto written = ::syscall(SYS_sched_getaffinity, id, bytes, set);
    if (written < 0) return -1;
    std::memset(reinterpret_cast<char *>(set) + written, 0, bytes - static_cast<std::size_t>(written));
    return 0;
}

namespace hpart
{
namespace
{

using namespace std::chrono_literals;

void add(Team &team, const std::string &name, const CoreList &cores, const FakeKernel::Job &job = nullptr)
{
    team.add({name, std::make_unique<FakeKernel>(std::make_shared<Calls>(), job), cores});
}

std::string refusal(const Team &team, const std::vector<std::size_t> &together)
{
    return error_of([&] { require_own_cores(team, together); }).what();
}

TEST(OwnCores, AreRequiredOfProcessorsThatRunAtOnce)
{
    Team team;
    add(team, "a", {0});
    add(team, "b", {0, 1});
    add(team, "c", {2, 3});
    add(team, "anywhere", {});
    auto device = Member{"device", std::make_unique<FakeKernel>(std::make_shared<Calls>(), FakeKernel::Job()), {}};
    device.occupied = {0, 1, 2, 3};
    team.add(std::move(device));
    EXPECT_NE(refusal(team, {0, 1}).find("'a' and 'b' share core 0, "), std::string::npos) << refusal(team, {0, 1});
    EXPECT_NE(refusal(team, {0, 2, 4}).find("'a' and 'device' share core 0, "), std::string::npos);
    EXPECT_NE(refusal(team, {2, 3, 4}).find("'c' and 'device' share cores 2-3, "), std::string::npos);
    EXPECT_EQ(refusal(team, {0, 2, 3}), "no error");
    EXPECT_EQ(refusal(team, {1, 2, 3}), "no error");
    EXPECT_EQ(refusal(team, {4, 3}), "no error");
}

void bind_caller(const CoreList &cores)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : cores) CPU_SET(core, &set);
    ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
}

void burn(std::chrono::milliseconds time)
{
    for (const auto end = Clock::now() + time; Clock::now() < end;) {}
}

class Binding : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (usable_cores().size() < 2) GTEST_SKIP() << "needs two cores";
        first_ = usable_cores()[0];
        second_ = usable_cores()[1];
    }
    static Measurement measured(const Team &team)
    {
        MeasureSettings settings;
        settings.rule.min_repetitions = settings.rule.max_repetitions = 4;
        std::vector<Slice> slices(team.count(), Slice{0, 1});
        return measure(team, std::move(slices), settings, Poll());
    }

    int first_ = 0, second_ = 0;
};

TEST_F(Binding, IsKeptByProcessorsAndTheirThreads)
{
    Team team;
    add(team, "first", {first_}, [](const Slice &) { burn(5ms); });
    add(team, "second", {second_}, [](const Slice &) { std::jthread inheriting([] { burn(5ms); }); });
    EXPECT_EQ(measured(team).broken_bindings, (std::vector<std::string>{"", ""}));
}

// As libgomp does under OMP_PROC_BIND=true OMP_PLACES=cores.
TEST_F(Binding, IsBrokenByALibraryThatMovesItsCaller)
{
    Team team;
    for (const int core : {first_, second_})
        add(team, "on " + std::to_string(core), {core}, [this](const Slice &) { bind_caller({first_}); });
    const auto broken = measured(team).broken_bindings;
    EXPECT_EQ(broken[0], "");
    EXPECT_EQ(broken[1],
              "was given core " + std::to_string(second_) + ", but its thread was moved to " + std::to_string(first_));
    Facts facts;
    note_point(facts, "on 1", 8, measured(team), 1, {});
    EXPECT_TRUE(facts.has_note(NoteKind::unbound, "on 1", 8));
}

// Processor time of the thread.
double own_processor_seconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// As a pool that was started with the process does.
TEST_F(Binding, IsBrokenByThreadsOfOtherCores)
{
    for (const bool on_its_own : {false, true}) {
        std::atomic<bool> stopping{false};
        std::atomic<double> pool_seconds{0};
        std::jthread pool([&] {
            bind_caller(on_its_own ? CoreList{second_} : CoreList{first_, second_});
            while (!stopping) pool_seconds = own_processor_seconds();
        });
        const auto wait_for_pool = [&](const Slice &) {
            for (const double before = pool_seconds; pool_seconds < before + 0.01;) std::this_thread::yield();
        };
        Team team;
        add(team, "first", {first_}, wait_for_pool);
        add(team, "second", {second_}, wait_for_pool);
        const auto broken = measured(team).broken_bindings;
        stopping = true;
        const auto said = std::accumulate(broken.begin(), broken.end(), std::string());
        EXPECT_EQ(said.find("of this process used core ") != std::string::npos, !on_its_own) << said;
    }
}

// As a system that may have more than 1024 processors.
TEST_F(Binding, EndsWhereTheSystemMayHaveMoreCores)
{
    const CoreList before = cores_of_thread(this_thread_id());
    refused_mask_bytes = sizeof(cpu_set_t);
    EXPECT_EQ(cores_of_thread(this_thread_id()), before);
    {
        const BoundMeanwhile bound({second_});
        EXPECT_EQ(cores_of_thread(this_thread_id()), CoreList{second_});
    }
    EXPECT_EQ(cores_of_thread(this_thread_id()), before);
    refused_mask_bytes = 0;
}

} // namespace
} // namespace hpart
