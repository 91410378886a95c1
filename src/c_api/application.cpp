#include "measurement/application.hpp"
#include "c_api/handles.hpp"
#include "c_api/team.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// "CPU,GPU0,GPU1"
std::vector<std::string> split_names(std::string_view list)
{
    std::vector<std::string> names;
    for (;;) {
        const auto comma = list.find(',');
        names.emplace_back(trim(list.substr(0, comma)));
        if (comma == std::string_view::npos) return names;
        list.remove_prefix(comma + 1);
    }
}

// The NaN of times that the function leaves alone. A NaN that it computes has other bits.
constexpr std::uint64_t unset_bits = 0x7ff8'6870'6172'7400;

// A function of the user's, and the pointer it owns.
class UserApplication final : public Application
{
  public:
    UserApplication(std::vector<std::string> names, hpart_application function, void *user)
        : names_(std::move(names)), function_(function), user_(user)
    {
    }
    UserApplication(const UserApplication &) = delete;
    UserApplication &operator=(const UserApplication &) = delete;
    ~UserApplication() override { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    void prepare() override { gave_one_time_ = false; }
    void run(std::span<const std::int64_t> x, std::span<double> seconds) override
    {
        std::fill(seconds.begin(), seconds.end(), std::bit_cast<double>(unset_bits));
        const int stop = call_("the application", [&] {
            return function_(static_cast<std::int64_t>(x.size()), x.data(), seconds.data(), user_);
        });
        if (stop == HPART_ERR_CALLBACK && *hpart_last_error() != '\0') throw RunFailure(hpart_last_error());
        if (stop != 0) throw RunFailure(text("the application returned ", stop));
        std::vector<std::size_t> active, timed;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == 0) {
                seconds[i] = 0;
                continue;
            }
            active.push_back(i);
            if (std::bit_cast<std::uint64_t>(seconds[i]) == unset_bits) continue;
            timed.push_back(i);
            if (!std::isfinite(seconds[i]) || seconds[i] < 0)
                throw RunFailure(text("the application's time of processor ", in_quotes(names_[i]), " is ", seconds[i],
                                      " s; it must be a finite number, 0 or more"));
        }
        if (timed.size() < active.size() && timed.size() != 1)
            throw RunFailure(text("the application set ", timed.size(), " of ", active.size(),
                                  " times; it must set each, or one for all"));
        gave_one_time_ = timed.size() < active.size();
        if (!gave_one_time_) return;
        const double all = seconds[timed.front()];
        for (const auto i : active) seconds[i] = all;
    }
    bool gave_one_time() const override { return gave_one_time_; }
    bool stays_alive() const override { return true; }

  private:
    std::vector<std::string> names_;
    Callback call_;
    hpart_application function_;
    void *user_;
    hpart_free free_user_ = nullptr;
    std::atomic<bool> gave_one_time_ = false; // others look while it runs
};

} // namespace

extern "C" {

hpart_status hpart_team_set_application(hpart_team *team, const char *names, const char *command,
                                        const hpart_options *options)
{
    return guarded([&] {
        require(team, "team");
        require(names, "names");
        require(command, "command");
        const auto all = split_names(names);
        set_application(team->value, all, make_application(all, command, options_for(options, call_application)));
    });
}

hpart_status hpart_team_set_application_function(hpart_team *team, const char *names, hpart_application function,
                                                 void *user, hpart_free free_user)
{
    return guarded([&] {
        require(team, "team");
        require(names, "names");
        if (function == nullptr) fail_argument("function is NULL; it must not be");
        const auto all = split_names(names);
        const auto made = std::make_shared<UserApplication>(all, function, user);
        set_application(team->value, all, made);
        made->own(free_user);
    });
}

} // extern "C"
