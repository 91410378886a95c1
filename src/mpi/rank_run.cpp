#include "mpi/rank_run.hpp"

#include "measurement/application.hpp"
#include "measurement/profile.hpp"
#include "mpi/communicator.hpp"
#include "mpi/platform.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

namespace hpart::mpi
{

namespace
{

Bytes result_bytes(const RankResult &result)
{
    Bytes out;
    put(out, result.failure);
    put(out, result.is_of_point);
    put(out, result.seconds);
    put(out, result.printed_steps);
    put(out, result.time_doubt);
    return out;
}

RankResult result_from(const Bytes &bytes)
{
    Reader in(bytes);
    RankResult result;
    result.failure = in.get<Failure>();
    result.is_of_point = in.get<bool>();
    result.seconds = in.get_vector<double>();
    result.printed_steps = in.get_vector<double>();
    result.time_doubt = in.get_text();
    return result;
}

} // namespace

PlatformPart part_of_team(const hpart_team *team)
{
    PlatformPart part;
    if (team == nullptr) return part;
    const auto &members = team->value;
    part.processors.resize(members.count());
    for (std::size_t i = 0; i < members.count(); ++i) part.processors[i].name = members.member(i).name;
    part.kernel = members.kernel();
    return part;
}

template <typename Body> void RankRun::attempt(Body &&body)
{
    if (result_.failure.status != HPART_SUCCESS) return;
    result_.failure = failure_of([&] {
        try {
            body();
        } catch (const PointFailure &failure) {
            result_.is_of_point = true;
            throw Error(failure.status(), failure.reason());
        }
    });
    if (result_.failure.status != HPART_SUCCESS) run_.reset();
}

std::vector<RankResult> RankRun::repeat(const std::vector<std::int64_t> &x)
{
    result_ = {};
    attempt([&] {
        result_.seconds.assign(x.size(), 0);
        if (run_ && x == x_) return;
        run_.reset();
        if (x.empty()) return;
        std::vector<Slice> slices;
        slices.reserve(x.size());
        for (const auto size : x) slices.push_back({0, size});
        x_ = x;
        run_.emplace(mine_->value, std::move(slices));
    });
    all_.wait_for_all(); // asleep: other ranks of this node still prepare
    check(MPI_Barrier(all_.get()), "MPI_Barrier");
    attempt([&] {
        if (!run_) return;
        run_->repeat();
        const auto *const application = mine_->value.application();
        if (application != nullptr && application->gave_one_time())
            fail(Status::unsupported, "the application gave one time for all processors; a search of the optimum needs "
                                      "the time of each");
        const auto &active = run_->active();
        for (std::size_t a = 0; a < active.size(); ++a) result_.seconds[active[a]] = run_->spans()[a].seconds();
        for (std::size_t i = 0; i < mine_->value.count(); ++i)
            result_.printed_steps.push_back(mine_->value.member(i).kernel->printed_step().value_or(NAN));
        result_.time_doubt = mine_->value.time_doubt();
    });
    all_.wait_for_all();
    Bytes mine;
    all_.together([&] { mine = result_bytes(result_); });
    const auto pieces = all_.gather(mine);
    std::vector<RankResult> results;
    all_.on_root([&] {
        for (const auto &piece : pieces) results.push_back(result_from(piece));
    });
    return results;
}

} // namespace hpart::mpi

// hpart_mpi_profile: all ranks measure the same size at the same time, size by size; equal nodes measure different sizes.

using namespace hpart;
using namespace hpart::mpi;

namespace
{

// The decisions of rank 0, for all.
struct Plan {
    std::vector<std::int64_t> sizes; // in the order of measuring
    ProfileSettings settings;
};

void put_plan(Bytes &out, const Plan &plan)
{
    put(out, plan.sizes);
    put(out, plan.settings.is_simultaneous);
    put(out, plan.settings.total_seconds);
}

Plan plan_from(const Bytes &bytes)
{
    Reader in(bytes);
    Plan plan;
    plan.sizes = in.get_vector<std::int64_t>();
    plan.settings.is_simultaneous = in.get<bool>();
    plan.settings.total_seconds = in.get<double>();
    return plan;
}

// Fails unless all ranks have the sizes of rank 0.
Plan shared_plan(const Communicator &all, std::vector<std::int64_t> sizes, const ProfileSettings &mine)
{
    Bytes bytes;
    all.on_root([&] {
        Plan plan{sizes, mine};
        // The same order in every call: a fixed seed.
        if (mine.is_random) std::shuffle(plan.sizes.begin(), plan.sizes.end(), std::mt19937_64(1)); // NOLINT(cert-*)
        put_plan(bytes, plan);
    });
    all.broadcast(bytes);
    Plan plan;
    all.together([&] {
        plan = plan_from(bytes);
        require_same_sizes(std::move(sizes), plan.sizes);
    });
    return plan;
}

// This rank's processors, and their points as they come.
class Profile
{
  public:
    Profile(hpart_team *team, const hpart_options *options, const std::string &alike)
        : team_(team), options_(profile_options(options)), part_(part_of_team(team))
    {
        part_.alike = alike;
        if (team == nullptr) return;
        load_options_ = copy_of(nullptr);
        check_status(hpart_options_set_int(load_options_.get(), "warmup", 0));
        check_status(hpart_options_set_string(load_options_.get(), "overlap", "allowed"));
    }

    bool has_team() const { return team_ != nullptr; }
    const std::vector<ProcessorPart> &processors() const { return part_.processors; }

    void set_simultaneous(bool is_simultaneous)
    {
        check_status(hpart_options_set_int(options_.get(), "simultaneous", is_simultaneous ? 1 : 0));
    }

    // Size 0: nothing is left for this rank, which goes on to run its last size for the others' sake.
    // A size that no processor of this rank could run leaves no points, as in hpart_team_profile of several sizes.
    void measure(std::int64_t size, double seconds)
    {
        if (team_ == nullptr || size == 0) return;
        loads_.assign(part_.processors.size(), 0);
        check_status(hpart_options_set_double(options_.get(), "max_total_seconds", seconds));
        hpart_platform *made = nullptr;
        std::string failure;
        const auto status = c_api::profile_team(team_, 1, &size, options_.get(), &made, &failure);
        const PlatformHandle platform(made);
        if (made != nullptr) part_.facts.add_of_points(made->value.facts);
        if (!failure.empty()) {
            if (failure_.empty()) failure_ = failure;
            return;
        }
        if (status != HPART_SUCCESS && status != HPART_ERR_LIMIT) check_status(status);
        is_complete_ = is_complete_ && status == HPART_SUCCESS;
        if (made != nullptr) add(part_of(made), size);
    }

    // Runs the last size once on the processors that have measured it, for the sake of the ranks that still do. A failure ends that for
    // this size: its points were measured before.
    void load() noexcept
    {
        if (std::all_of(loads_.begin(), loads_.end(), [](auto load) { return load == 0; }))
            return std::this_thread::sleep_for(std::chrono::microseconds(50));
        const auto failure = failure_of([&] {
            std::vector<double> seconds(loads_.size());
            check_status(hpart_team_execute(team_, loads_.data(), load_options_.get(), seconds.data(), nullptr));
        });
        if (failure.status != HPART_SUCCESS) loads_.clear();
    }

    // False if the time did not suffice for a point.
    bool is_complete() const { return is_complete_; }
    bool has_points() const { return parts_ > 0; }
    // Why the first point without a time has none; empty: every point has one.
    const std::string &failure() const { return failure_; }

    PlatformPart result() const
    {
        auto part = part_;
        if (parts_ > 0) part.base_power = base_power_ / static_cast<double>(parts_);
        return part;
    }

  private:
    void add(const PlatformPart &more, std::int64_t size)
    {
        ++parts_;
        base_power_ += more.base_power;
        for (std::size_t i = 0; i < part_.processors.size(); ++i) {
            append(part_.processors[i], more.processors[i]);
            if (!more.processors[i].sizes.empty()) loads_[i] = size;
        }
    }

    hpart_team *team_;
    OptionsHandle options_, load_options_;
    PlatformPart part_;
    double base_power_ = 0; // sum over the sizes
    std::int64_t parts_ = 0;
    std::vector<std::int64_t> loads_; // of each processor: the size to run for the others' sake, or 0
    std::string failure_;
    bool is_complete_ = true;
};

// Measures one size on this rank at its turn: all at once, or rank by rank.
void measure_size(const Communicator &all, Profile &profile, std::int64_t size, double seconds, bool is_simultaneous)
{
    Failure failure;
    for (int turn = 0; turn < (is_simultaneous ? 1 : all.size()); ++turn) {
        all.wait_for_all();
        if (is_simultaneous || turn == all.rank()) failure = failure_of([&] { profile.measure(size, seconds); });
        if (is_simultaneous && failure.status == HPART_SUCCESS)
            all.wait_for_all([&] { profile.load(); });
        else
            all.wait_for_all();
    }
    all.together([&] { failure.check(); });
}

// The equal share of a step in the time that is left, by the clock of rank 0.
double share_of_time(const Communicator &all, const Plan &plan, std::int64_t steps_left, Clock::time_point start)
{
    const auto left = plan.settings.total_seconds - std::chrono::duration<double>(Clock::now() - start).count();
    double share = std::max(left, 0.0) / static_cast<double>(steps_left);
    if (!plan.settings.is_simultaneous) share /= all.size();
    check(MPI_Bcast(&share, 1, MPI_DOUBLE, 0, all.get()), "MPI_Bcast");
    return share;
}

} // namespace

extern "C" {

hpart_status hpart_mpi_profile(MPI_Comm comm, hpart_team *mine, int64_t points, const int64_t *sizes,
                               const hpart_options *options, hpart_platform **all)
{
    return c_api::guarded([&] {
        const Communicator ranks(comm);
        std::vector<std::int64_t> wanted;
        ProfileSettings settings;
        std::unique_ptr<Profile> profile;
        ranks.together([&] {
            if (ranks.is_root()) c_api::require(all, "all");
            if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
            const auto given = c_api::array(sizes, points, "sizes");
            require_distinct_sizes(given);
            wanted.assign(given.begin(), given.end());
            settings = profile_settings(options);
            profile = std::make_unique<Profile>(mine, options, settings.alike);
        });
        if (!ranks.any(profile->has_team())) fail_argument("no rank has a team; at least one must have one");
        const auto plan = shared_plan(ranks, std::move(wanted), settings);
        ranks.together([&] { profile->set_simultaneous(plan.settings.is_simultaneous); });
        const auto kin = find_kin(ranks, settings.alike, profile->processors());
        // In each step a rank measures one of the sizes that it has.
        const auto count = static_cast<std::int64_t>(plan.sizes.size());
        const auto steps = ranks.largest((count + kin.count - 1) / kin.count);
        const auto start = Clock::now();
        bool is_complete = true;
        for (std::int64_t k = 0; k < steps; ++k) {
            const auto at = k * kin.count + kin.place;
            const auto size = at < count ? plan.sizes[static_cast<std::size_t>(at)] : 0;
            const auto share = share_of_time(ranks, plan, steps - k, start);
            if (share > 0 || k == 0) measure_size(ranks, *profile, size, share, plan.settings.is_simultaneous);
            if (share <= 0) is_complete = false;
        }
        is_complete = is_complete && !ranks.any(!profile->is_complete());
        const bool has_points = ranks.any(profile->has_points());
        ranks.together([&] {
            if (!has_points && !profile->failure().empty())
                fail(Status::callback, "no point could be measured: ", profile->failure());
        });
        PlatformPart part;
        ranks.together([&] { part = profile->result(); });
        auto whole = gather_platform(ranks, part);
        if (all != nullptr) *all = whole.handle.release();
        if (!is_complete)
            fail_option(Status::limit, "max_total_seconds", ", ", plan.settings.total_seconds,
                        " s, did not suffice for all points; the platform of rank 0 has the others; set it higher");
    });
}

} // extern "C"
