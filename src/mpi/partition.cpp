// hpart_mpi_partition: rank 0 solves the problem of all ranks, each rank gets its part of the result. The ranks compute the table of
// method paraleph together.
#include "c_api/handles.hpp"
#include "mpi/paraleph.hpp"
#include "mpi/problem.hpp"

#include <algorithm>

namespace hpart::mpi
{

namespace
{

// The result of a call of hpart_partition that succeeded or met a limit.
struct WholeSolution {
    Failure limit;      // status success: the distribution is the answer
    bool has_x = false; // false only at a limit
    bool has_report = false;
    double seconds = 0;
    double joules = 0;
    std::vector<std::int64_t> x;
    ReportHandle report;
};

WholeSolution solve(const WholeProblem &problem, const hpart_options *options, std::int32_t objective,
                    std::int64_t size, bool wants_joules, bool wants_report)
{
    WholeSolution found;
    found.x.assign(static_cast<std::size_t>(problem.platform.first_of.back()), -1);
    hpart_report *report = nullptr;
    const auto status =
        hpart_partition(problem.platform.handle.get(), objective, size, options, found.x.data(), &found.seconds,
                        wants_joules ? &found.joules : nullptr, wants_report ? &report : nullptr);
    found.report.reset(report);
    if (status != HPART_ERR_LIMIT) check_status(status);
    found.limit = failure_of([&] { check_status(status); });
    found.has_x = found.x.front() >= 0;
    found.has_report = report != nullptr;
    return found;
}

// The other ranks serve meanwhile.
WholeSolution solve_with_ranks(const Communicator &all, const WholeProblem &problem, std::int32_t objective,
                               std::int64_t size, bool wants_joules, bool wants_report)
{
    RootOfParaleph ranks(all);
    WholeSolution found;
    const auto failure = failure_of([&] {
        const auto options = copy_of(problem.options);
        set_paraleph_ranks(options.get(), &ranks);
        found = solve(problem, options.get(), objective, size, wants_joules, wants_report);
    });
    ranks.end();
    failure.check();
    if (!found.has_report || ranks.seconds().computing.empty()) return found;
    set_in_report(found.report.get(), "solve_compute_seconds", ranks.seconds().computing);
    set_in_report(found.report.get(), "solve_communication_seconds", ranks.seconds().communicating);
    return found;
}

Bytes bytes_of(const WholeSolution &found, std::int64_t first, std::int64_t last)
{
    Bytes out;
    put(out, found.limit);
    put(out, found.has_x);
    put(out, found.seconds);
    put(out, found.joules);
    put(out, std::vector(found.x.begin() + first, found.x.begin() + last));
    put(out, found.has_report);
    if (found.has_report) put_report(out, found.report.get());
    return out;
}

WholeSolution solution_from(const Bytes &bytes)
{
    Reader in(bytes);
    WholeSolution found;
    found.limit = in.get<Failure>();
    found.has_x = in.get<bool>();
    found.seconds = in.get<double>();
    found.joules = in.get<double>();
    found.x = in.get_vector<std::int64_t>();
    found.has_report = in.get<bool>();
    if (found.has_report) found.report = get_report(in);
    return found;
}

} // namespace

} // namespace hpart::mpi

using namespace hpart;
using namespace hpart::mpi;

extern "C" {

hpart_status hpart_mpi_partition(MPI_Comm comm, const hpart_platform *mine, int32_t objective, int64_t size,
                                 const hpart_options *options, int64_t *x, double *seconds, double *joules,
                                 hpart_report **report)
{
    return c_api::guarded([&] {
        const Communicator all(comm);
        const auto problem = gather_problem(all, mine, size, options, [&] {
            if (mine != nullptr) c_api::require(x, "x");
        });
        all.require_equal("objective", objective);
        const bool wants_joules = all.any(joules != nullptr), wants_report = all.any(report != nullptr);
        std::vector<Bytes> pieces;
        if (!all.is_root()) serve_paraleph(all);
        all.on_root([&] {
            const auto found = solve_with_ranks(all, problem, objective, size, wants_joules, wants_report);
            const auto &first_of = problem.platform.first_of;
            for (std::size_t r = 0; r + 1 < first_of.size(); ++r)
                pieces.push_back(bytes_of(found, first_of[r], first_of[r + 1]));
        });
        const auto piece = all.scatter(pieces);
        WholeSolution found;
        all.together([&] { found = solution_from(piece); });
        if (found.has_x) {
            std::copy(found.x.begin(), found.x.end(), x);
            if (seconds != nullptr) *seconds = found.seconds;
            if (joules != nullptr) *joules = found.joules;
        }
        if (report != nullptr && found.has_report) *report = found.report.release();
        found.limit.check();
    });
}

} // extern "C"
