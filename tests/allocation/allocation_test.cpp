// Every public call, when one of the allocations of the library or of hpart.hpp fails, whichever: it reports that or succeeds,
// nothing terminates, nothing leaks, and the same call succeeds afterwards. HPART_TEST_INSTANCES: ten times the tries of a scenario.
#include "counting_new.hpp"
#include "scenarios.hpp"

#include "../support/scratch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace
{

constexpr std::int64_t all_instances = 20000; // of scripts/check --long: each allocation of each scenario
constexpr std::int64_t most_with_drivers = 2000;

std::string current_scenario;
std::int64_t current_allocation = 0;
int failures = 0;

void say(const char *what)
{
    ++failures;
    std::fprintf(stderr, "%s, allocation %lld: %s: %s\n", current_scenario.c_str(),
                 static_cast<long long>(current_allocation), what, hpart_last_error());
}

// Drivers compile in threads of their own, which free what they took after the call that waited for the kernel.
void wait_for_drivers()
{
    constexpr int quiet = 50, most = 3000; // times 10 ms
    auto live = allocations::live();
    for (int wait = 0, same = 0; wait < most && same < quiet; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const auto now = allocations::live();
        same = now == live ? same + 1 : 0;
        live = now;
    }
}

// A thread that has been joined may still be freeing what it had.
bool becomes(std::int64_t expected)
{
    for (int wait = 0; wait < 100 && allocations::live() != expected; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return allocations::live() == expected;
}

hpart_status run(const Scenario &scenario, std::int64_t failing)
{
    current_allocation = failing;
    hpart_status status = HPART_SUCCESS;
    try {
        scenario.run([failing] { allocations::fail_at(failing); });
    } catch (const hpart::error &error) {
        // Data that may be changed make it another status; the message has the reason.
        const bool is_memory = std::strstr(error.what(), "out of memory") != nullptr;
        status = error.status() == HPART_ERR_DEVICE && is_memory ? HPART_ERR_OUT_OF_MEMORY : error.status();
    } catch (const std::bad_alloc &) { // of hpart.hpp
        status = HPART_ERR_OUT_OF_MEMORY;
    } catch (const std::exception &error) {
        say(error.what());
        status = HPART_ERR_INTERNAL;
    }
    allocations::fail_at(0);
    return status;
}

void check(const Scenario &scenario, std::int64_t tries)
{
    current_scenario = scenario.name;
    for (int warm = 0; warm < 2; ++warm) // what is made once for all calls is there afterwards
        if (const auto status = run(scenario, 0); status != HPART_SUCCESS) {
            if (status != HPART_ERR_UNSUPPORTED) say("does not succeed");
            return;
        }
    scenario.run([] { allocations::fail_at(0); });
    const auto count = std::max<std::int64_t>(1, allocations::made());
    // Drivers allocate tens of thousands of times.
    const auto stride =
        std::max<std::int64_t>(1, count / (scenario.uses_drivers ? std::min(tries, most_with_drivers) : tries));
    int refused = 0;
    for (std::int64_t k = 1; k <= count; k += stride) {
        const auto live = allocations::live();
        const auto status = run(scenario, k);
        if (status != HPART_SUCCESS && status != HPART_ERR_OUT_OF_MEMORY) say(hpart_strerror(status));
        if (!scenario.uses_drivers && !becomes(live))
            say(("leaks " + std::to_string(allocations::live() - live)).c_str());
        refused += status == HPART_ERR_OUT_OF_MEMORY;
    }
    if (refused == 0) say("no failure was seen");
    if (run(scenario, 0) != HPART_SUCCESS) say("does not succeed any more");
    std::printf("%s: %lld allocations, every %lld-th failed, %d calls refused\n", scenario.name.c_str(),
                static_cast<long long>(count), static_cast<long long>(stride), refused);
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    const support::Folder folder;
    std::filesystem::current_path(folder.path()); // where the scenarios write their files
    std::set_terminate([] {
        say("std::terminate");
        std::abort();
    });
    const auto *wanted = std::getenv("HPART_TEST_INSTANCES");
    const std::int64_t instances = wanted == nullptr ? 300 : std::atoll(wanted);
    const auto tries = instances >= all_instances ? instances : std::max<std::int64_t>(20, instances / 10);
    const auto check_all = [&](const std::vector<Scenario> &scenarios) {
        for (const auto &scenario : scenarios)
            if (count < 2 || scenario.name.find(arguments[1]) != std::string::npos) check(scenario, tries);
    };
    check_all(model_scenarios());
    measure_devices();
    wait_for_drivers();
    check_all(machine_scenarios());
    return failures == 0 ? 0 : 1;
}
