#include "measurement/team.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "kernels/registry.hpp"
#include "measurement/measure.hpp"
#include "measurement/profile.hpp"

#include <algorithm>

using namespace hpart;
using namespace hpart::c_api;

struct hpart_team {
    Team value;
};

namespace
{

// A kernel of the user's, and the pointer it owns.
class UserKernel final : public Kernel
{
  public:
    UserKernel(hpart_kernel kernel, void *user) : kernel_(kernel), user_(user) {}
    UserKernel(const UserKernel &) = delete;
    UserKernel &operator=(const UserKernel &) = delete;
    ~UserKernel() override { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    void prepare(const Slice &slice) override { size_ = slice.rows; }
    void run() override
    {
        int stop = 0;
        try {
            stop = kernel_(size_, user_);
        } catch (...) {
            fail(Status::callback, "the kernel threw an exception");
        }
        if (stop != 0) fail(Status::callback, "the kernel returned ", stop);
    }
    void release() noexcept override {}

  private:
    hpart_kernel kernel_;
    void *user_;
    hpart_free free_user_ = nullptr;
    std::int64_t size_ = 0;
};

// A platform file has commas between its fields: a processor's text loses them in its name.
std::string name_of_processor(const char *name, std::string processor)
{
    if (name != nullptr) return name;
    std::replace(processor.begin(), processor.end(), ',', '+');
    return processor;
}

const Team &with_processors(const hpart_team *team)
{
    require(team, "team");
    if (team->value.count() == 0)
        fail_argument("the team has no processors; hpart_team_add and hpart_team_add_builtin add them");
    return team->value;
}

Control control_of(const Options &options)
{
    return {options.progress(), std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
}

} // namespace

extern "C" {

hpart_status hpart_team_create(hpart_team **team)
{
    return guarded([&] {
        require(team, "team");
        *team = new hpart_team{};
    });
}

hpart_status hpart_team_add(hpart_team *team, const char *name, hpart_kernel kernel, void *user, hpart_free free_user,
                            const char *cores)
{
    return guarded([&] {
        require(team, "team");
        require(name, "name");
        if (kernel == nullptr) fail_argument("kernel is NULL; it must not be");
        auto bound = cores == nullptr ? CoreList{} : parse_cores(cores, usable_cores());
        auto owner = std::make_unique<UserKernel>(kernel, user);
        auto *added = owner.get();
        team->value.add({name, std::move(owner), std::move(bound)});
        added->own(free_user);
    });
}

hpart_status hpart_team_add_builtin(hpart_team *team, const char *name, const char *kernel, const char *processor,
                                    const hpart_options *options)
{
    return guarded([&] {
        require(team, "team");
        require(kernel, "kernel");
        require(processor, "processor");
        const auto set = options_for(options, call_builtin);
        auto [made, cores] = make_builtin(kernel, processor, set.get_text("dims"), set);
        team->value.add({name_of_processor(name, processor), std::move(made), std::move(cores)});
    });
}

int64_t hpart_team_processors(const hpart_team *team)
{
    return team == nullptr ? -1 : static_cast<std::int64_t>(team->value.count());
}

hpart_status
hpart_team_measure(hpart_team *team, const int64_t *x, const hpart_options *options, double *mean_seconds,
                   double *joules, // NOLINT(readability-non-const-parameter): written once there are meters
                   hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto sizes = array(x, hpart_team_processors(team), "x");
        require(mean_seconds, "mean_seconds");
        if (joules != nullptr) fail_argument("joules is not NULL; it must be, since no meter can be attached yet");
        const auto set = options_for(options, call_measure);
        const MeasureSettings settings{StopRule::from(set), set.get_int("warmup")};
        auto control = control_of(set);
        const auto slices = members.slices(sizes);
        const auto result = measure(members, slices, settings, [&] { control.tell(-1, "measuring"); });

        std::vector<std::size_t> active;
        for (std::size_t i = 0; i < slices.size(); ++i)
            if (slices[i].rows > 0) active.push_back(i);
        if (report != nullptr)
            *report =
                new hpart_report{report_of(result, settings.rule, active, slices.size())}; // the last that can fail
        std::fill_n(mean_seconds, slices.size(), 0.0);
        for (std::size_t a = 0; a < active.size(); ++a) mean_seconds[active[a]] = result.estimates[a].mean;
    });
}

hpart_status hpart_team_profile(hpart_team *team, int64_t points, const int64_t *sizes, const hpart_options *options,
                                hpart_platform **platform)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
        const auto wanted = array(sizes, points, "sizes");
        require(platform, "platform");
        const auto set = options_for(options, call_profile);
        auto control = control_of(set);
        *platform = new hpart_platform{profile(members, ProfileRequest::from(wanted, set), control)};
    });
}

hpart_status hpart_team_execute(hpart_team *team, const int64_t *x, const hpart_options *options, double *seconds,
                                hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto sizes = array(x, hpart_team_processors(team), "x");
        require(seconds, "seconds");
        const auto set = options_for(options, call_execute);
        auto control = control_of(set);
        const auto result = execute(members, sizes, set.get_int("warmup"), set.get_int("check") == 1, control);
        Report about;
        about.set("checked", std::int64_t{result.check ? 1 : 0});
        if (result.check) {
            about.set("max_relative_error", result.check->max_relative_error);
            about.set("tolerance", result.check->tolerance);
        }
        if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
        std::copy(result.seconds.begin(), result.seconds.end(), seconds);
    });
}

void hpart_team_destroy(hpart_team *team) { delete team; }

} // extern "C"
