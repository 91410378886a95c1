#include "mpi/rank_run.hpp"

#include "measurement/application.hpp"

namespace hpart::mpi
{

namespace
{

Bytes bytes_of(const RankResult &result)
{
    Bytes out;
    put(out, result.failure);
    put(out, result.is_of_point);
    put(out, result.seconds);
    return out;
}

RankResult result_from(const Bytes &bytes)
{
    Reader in(bytes);
    RankResult result;
    result.failure = in.get<Failure>();
    result.is_of_point = in.get<bool>();
    result.seconds = in.get_vector<double>();
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
    part.kernel = text_from([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
        return hpart_team_get_kernel(team, buffer, capacity, needed);
    });
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
        run_->repeat([] {});
        const auto *const application = mine_->value.application();
        if (application != nullptr && application->gave_one_time())
            fail(Status::unsupported, "the application gave one time for all processors; a search of the optimum needs "
                                      "the time of each");
        const auto &active = run_->active();
        for (std::size_t a = 0; a < active.size(); ++a) result_.seconds[active[a]] = run_->spans()[a].seconds();
    });
    all_.wait_for_all();
    Bytes mine;
    all_.together([&] { mine = bytes_of(result_); });
    const auto pieces = all_.gather(mine);
    std::vector<RankResult> results;
    all_.on_root([&] {
        for (const auto &piece : pieces) results.push_back(result_from(piece));
    });
    return results;
}

} // namespace hpart::mpi
