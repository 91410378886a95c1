// Files that a later call goes on with: of the same kernel, by its name or by a point that is measured again.
#include "kernels/registry.hpp"
#include "measurement/resumable_file.hpp"

#include "profile_fixture.hpp"

namespace hpart
{
namespace
{

class ResumedProfile : public ProfileFixture
{
  protected:
    ResumedProfile()
    {
        request_.sizes = {1, 2, 4};
        request_.resume_tolerance = 0.25;
        request_.settings.rule.min_repetitions = request_.settings.rule.max_repetitions = 4;
    }
    // A unit of size takes so many seconds.
    void profile_kernel(double seconds, const std::string &kernel, std::vector<std::int64_t> sizes)
    {
        Team team;
        for (const auto *name : {"a", "b"})
            add_timed(team, name, [=](const Slice &slice) { return seconds * static_cast<double>(slice.rows); });
        team.set_kernel(kernel);
        request_.sizes = std::move(sizes);
        Control control(telling_, std::numeric_limits<double>::infinity(), 0);
        profile(team, request_, control);
    }
    std::string refusal(double seconds, const std::string &kernel)
    {
        const auto before = read_file(request_.file);
        const auto error = error_of([&] { profile_kernel(seconds, kernel, {1, 2, 4, 8}); });
        if (error.status() != Status::success) {
            EXPECT_EQ(error.status(), Status::invalid_argument);
            EXPECT_EQ(read_file(request_.file), before);
        }
        return error.what();
    }
};

TEST_F(ResumedProfile, NamesTheKernelInItsFileAndRefusesAnother)
{
    profile_kernel(0.1, "heat 1.3", {1, 2, 4});
    EXPECT_EQ(read_platform(request_.file).kernel(), "heat 1.3");
    for (const auto *other : {"heat 1.4", ""}) {
        const auto said = refusal(0.1, other);
        EXPECT_NE(said.find("the kernel 'heat 1.3', not '" + std::string(other) + "'"), std::string::npos) << said;
    }
    EXPECT_EQ(refusal(3, "heat 1.3"), "no error") << "whose times nobody checks";
    EXPECT_EQ(points_in_file(), 4U);
}

TEST_F(ResumedProfile, MeasuresAPointAgainWhereTheKernelHasNoName)
{
    for (const bool simultaneous : {true, false}) {
        fs::remove(request_.file);
        request_.simultaneous = simultaneous;
        profile_kernel(2.0000001, "", {1, 2, 4});
        const auto said = refusal(2.6000001, "");
        for (const auto *part : {"processor 'a', size 2", "s in the file", "resume_tolerance"})
            EXPECT_NE(said.find(part), std::string::npos) << said;
        EXPECT_EQ(refusal(2.4000001, ""), "no error");
        EXPECT_EQ(points_in_file(), 4U);
    }
}

// A named kernel's file of another machine, or of none.
TEST_F(ResumedProfile, MeasuresAPointAgainOnAnotherMachine)
{
    for (const std::string other : {"Another Processor, 4 cores", ""}) {
        fs::remove(request_.file);
        profile_kernel(2.0000001, "heat 1.3", {1, 2, 4});
        auto platform = read_platform(request_.file);
        ASSERT_EQ(platform.facts.all_stated(Topic::machine), std::vector{this_machine()});
        platform.facts.erase_if<Statement>([](const auto &one) { return one.topic == Topic::machine; });
        if (!other.empty()) platform.facts.state(Topic::machine, other);
        write_platform(platform, request_.file);
        const auto said = refusal(2.6000001, "heat 1.3");
        for (const auto *part : {"processor 'a', size 2", other.empty() ? "or the machine has changed"
                                                                        : "Another Processor, 4 cores; this one: "})
            EXPECT_NE(said.find(part), std::string::npos) << said;
        EXPECT_EQ(refusal(2.0000001, "heat 1.3"), "no error");
        EXPECT_EQ(points_in_file(), 4U);
        EXPECT_EQ(read_platform(request_.file).facts.all_stated(Topic::machine).back(), this_machine());
        EXPECT_EQ(refusal(3, "heat 1.3"), "no error");
    }
}

// A share of the budget, as the points that are missing have: it is told as one of them.
TEST_F(ResumedProfile, MeasuresItWithinTheBudget)
{
    profile_kernel(0.1, "", {1, 2, 4});
    told_.clear();
    profile_kernel(0.1, "", {1, 2, 4, 8, 16});
    ASSERT_FALSE(told_.empty());
    EXPECT_TRUE(told_.front().starts_with("size 2, point 1 of 2")) << told_.front();
}

// It has so many decimals that no step of a clock shows.
constexpr double steady = 2.0000001;

// A processor whose times scatter at the sizes named.
class RemeasuredProfile : public ProfileFixture
{
  protected:
    RemeasuredProfile()
    {
        request_.sizes = {1, 2, 4, 8};
        request_.settings.rule.max_repetitions = 6;
    }
    std::map<std::int64_t, int> runs_of_profile(const std::set<std::int64_t> &noisy)
    {
        std::map<std::int64_t, int> runs;
        Team team;
        add_timed(team, "a", [&](const Slice &slice) {
            const int run = runs[slice.rows]++;
            return noisy.contains(slice.rows) ? 1.0 + 0.5 * (run % 2) : steady;
        });
        add_timed(team, "b", [&](const Slice &) { return steady; });
        profile(team, request_);
        return runs;
    }
    std::vector<std::int64_t> imprecise_in_file() const
    {
        std::vector<std::int64_t> sizes;
        const auto platform = read_platform(request_.file);
        for (const auto size : platform.points(0).sizes)
            if (platform.facts.has_note(NoteKind::imprecise, "a", size)) sizes.push_back(size);
        return sizes;
    }
};

TEST_F(RemeasuredProfile, MeasuresImprecisePointsAgainAndNoOthers)
{
    using Runs = std::map<std::int64_t, int>;
    EXPECT_EQ(runs_of_profile({2, 8}), (Runs{{1, 2}, {2, 6}, {4, 2}, {8, 6}}));
    EXPECT_EQ(imprecise_in_file(), (std::vector<std::int64_t>{2, 8}));
    EXPECT_EQ(runs_of_profile({}), Runs{}) << "unless it is asked for";
    request_.remeasures_imprecise = true;
    request_.sizes = {1}; // the others are the file's
    EXPECT_EQ(runs_of_profile({8}), (Runs{{2, 2}, {8, 6}}));
    EXPECT_EQ(imprecise_in_file(), (std::vector<std::int64_t>{8}));
    EXPECT_EQ(read_platform(request_.file).points(0).seconds, (std::vector<double>{steady, steady, steady, 1.25}));
    request_.settings.rule.precision = 1; // of this call
    EXPECT_EQ(runs_of_profile({}), Runs{});
}

TEST_F(RemeasuredProfile, KeepsTheNarrowerInterval)
{
    runs_of_profile({2});
    const auto before = read_platform(request_.file).points(0).seconds;
    request_.remeasures_imprecise = true;
    request_.settings.rule.max_repetitions = 3;
    EXPECT_EQ(runs_of_profile({2}).at(2), 3);
    EXPECT_EQ(read_platform(request_.file).points(0).seconds, before);
}

// Minima have no intervals: their notes decide.
TEST_F(RemeasuredProfile, OfAStatisticWithoutAnInterval)
{
    request_.settings.rule.statistic = Statistic::minimum;
    request_.settings.rule.max_repetitions = 3;
    write_file(request_.file,
               "# measured = all processors at once\n# statistic = minimum\n"
               "# precision not reached: a size 4 has no interval after 3 repetitions (max_repetitions)\n"
               "processor,size,time\na,1,2\na,4,2\nb,1,1\nb,4,1\n");
    request_.remeasures_imprecise = true;
    request_.sizes = {1};
    EXPECT_EQ(runs_of_profile({}), (std::map<std::int64_t, int>{{4, 2}}));
    EXPECT_TRUE(imprecise_in_file().empty());
}

TEST_F(RemeasuredProfile, HasLimitsOfRepetitionsBySize)
{
    request_.settings.rule.min_repetitions = request_.settings.rule.max_repetitions = 5;
    request_.settings.rule.by_size = parse_repetitions("1-2:4-4,8-:3-3");
    EXPECT_EQ(runs_of_profile({}), (std::map<std::int64_t, int>{{1, 4}, {2, 4}, {4, 5}, {8, 3}}));
}

} // namespace
} // namespace hpart
