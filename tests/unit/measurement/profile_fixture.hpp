// Two processors that are profiled in a folder of the test's own, and what its files must hold.
#pragma once

#include "core/error.hpp"
#include "core/file.hpp"
#include "measurement/profile.hpp"
#include "models/platform_file.hpp"

#include "calls.hpp"
#include "fake_kernel.hpp"
#include "support/fake_clock.hpp"
#include "support/random.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpart
{

namespace fs = std::filesystem;

// In memory where the system has such a folder: the tests synchronise thousands of files.
inline fs::path folder_of_tests()
{
    const char *memory = "/dev/shm";
    return ::access(memory, W_OK) == 0 ? fs::path(memory) : fs::temp_directory_path();
}

// A folder of the test's own, removed with all that is in it.
class ProfileFixture : public testing::Test
{
  protected:
    ProfileFixture()
    {
        request_.sizes = {8, 3, 5, 1, 13, 2};
        request_.settings = repeated<MeasureSettings>(2);
        request_.resume_tolerance =
            std::numeric_limits<double>::infinity(); // these kernels do nothing that could be timed
        request_.file = folder_.file("functions.csv");
        for (const auto *name : {"a", "b"})
            add_fake(team_, name, [this, name](const Slice &slice) {
                const std::lock_guard lock(mutex_);
                ++runs_[{name, slice.rows}];
                order_.push_back(slice.rows);
            });
    }

    std::size_t points_in_file() const
    {
        if (!fs::exists(request_.file)) return 0;
        const auto platform = read_platform(request_.file);
        EXPECT_EQ(platform.count(), 2);
        EXPECT_EQ(platform.points(0).sizes, platform.points(1).sizes);
        return platform.points(0).count();
    }
    void expect_refused(const std::string &content, const std::string &reason)
    {
        write_file(request_.file, content);
        const auto error = error_of([&] { profile(team_, request_); });
        EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
        EXPECT_EQ(read_file(request_.file), content);
        EXPECT_TRUE(runs_.empty());
    }

    // Killed after so much processor time, as at any instant.
    [[noreturn]] void profile_and_exit(std::int64_t microseconds) const
    {
        const itimerval until_killed{{}, {microseconds / 1000000, microseconds % 1000000}};
        ::setitimer(ITIMER_PROF, &until_killed, nullptr);
        Team bent; // everywhere
        for (const auto *name : {"a", "b"})
            add_timed(bent, name,
                      [](const Slice &slice) { return 1.0 + static_cast<double>(slice.rows * slice.rows % 101); });
        const auto error = error_of([&] { profile(bent, request_); });
        if (error.status() != Status::success) std::cerr << error.what() << "\n";
        ::_exit(error.status() == Status::success ? 0 : 1);
    }
    // Returns the number of kills.
    int kill_until_done(support::Random &random) const
    {
        std::map<std::int64_t, double> known;
        for (int killed = 0;; ++killed) {
            // Longer from time to time, so that a slow machine gets to the end.
            const auto microseconds = support::between(random, 1, 8000 + 1000 * killed);
            const auto child = ::fork();
            if (child == 0) profile_and_exit(microseconds);
            int status = 0;
            EXPECT_EQ(::waitpid(child, &status, 0), child);
            const bool done = WIFEXITED(status);
            EXPECT_TRUE(!done || WEXITSTATUS(status) == 0);
            if (fs::exists(request_.file)) expect_known(known);
            if (!done && !HasFailure()) continue;
            EXPECT_EQ(known.size(), static_cast<std::size_t>(request_.most_sizes));
            return killed;
        }
    }
    // The file is whole, and has all that is known with the same values.
    void expect_known(std::map<std::int64_t, double> &known) const
    {
        const auto platform = read_platform(request_.file);
        const auto &points = platform.points(1);
        for (const auto &[size, seconds] : known) {
            const auto k = points.find(size);
            ASSERT_LT(k, points.count()) << "size " << size << " is lost";
            EXPECT_EQ(points.seconds[k], seconds) << "size " << size << " was measured again";
        }
        for (std::size_t k = 0; k < points.count(); ++k) known[points.sizes[k]] = points.seconds[k];
    }
    // Both files tell of the same points: as many runs as a point has, numbered from 0, whose mean is its time.
    void expect_all_samples_once() const
    {
        std::istringstream lines(read_file(request_.samples));
        std::string line;
        ASSERT_TRUE(std::getline(lines, line));
        EXPECT_EQ(line, "processor,size,repetition,seconds,outlier");
        std::map<std::pair<std::string, std::int64_t>, std::vector<double>> samples;
        while (std::getline(lines, line)) {
            std::array<std::string, 5> fields;
            std::istringstream rest(line);
            for (auto &field : fields) ASSERT_TRUE(std::getline(rest, field, ',')) << line;
            auto &point = samples[{fields[0], std::stoll(fields[1])}];
            EXPECT_EQ(std::stoull(fields[2]), point.size()) << line;
            EXPECT_EQ(fields[4], "0") << "of two samples none is odd";
            point.push_back(std::stod(fields[3]));
        }
        const auto platform = read_platform(request_.file);
        std::size_t count = 0;
        for (const std::int64_t i : {0, 1}) {
            const auto &points = platform.points(i);
            count += points.count();
            for (std::size_t k = 0; k < points.count(); ++k) {
                const auto &runs = samples[{platform.processor(i).name, points.sizes[k]}];
                ASSERT_EQ(runs.size(), 2U) << points.sizes[k];
                EXPECT_NEAR(points.seconds[k], (runs[0] + runs[1]) / 2, 1e-12 * points.seconds[k]);
            }
        }
        EXPECT_EQ(samples.size(), count);
    }

    std::vector<std::string> told_; // by the progress of `telling_`
    const std::shared_ptr<const ProgressCallback> telling_ =
        std::make_shared<ProgressCallback>([this](double, const char *what) {
            told_.emplace_back(what);
            return 0;
        });
    const support::Folder folder_{folder_of_tests()};
    ProfileRequest request_;
    Team team_;
    std::mutex mutex_;
    std::map<std::pair<std::string, std::int64_t>, int> runs_;
    std::vector<std::int64_t> order_;
};

} // namespace hpart
