// hpart_mpi_partition: rank 0 solves the problem of all ranks, each rank gets its part of the result. The ranks compute the table of
// method paraleph together.

#include "mpi/partition.hpp"

#include "c_api/handles.hpp"
#include "core/clock.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hpart::mpi
{

namespace
{

// The previous distribution of all processors on rank 0; empty if no rank has set one.
std::vector<std::int64_t> gather_previous(const Communicator &all, std::size_t processors, const hpart_options *options)
{
    std::vector<std::int64_t> previous;
    all.together([&] {
        previous = previous_of(options);
        if (!previous.empty() && previous.size() != processors)
            fail_argument("the previous distribution has ", previous.size(), " entries; this rank has ", processors,
                          " processors");
    });
    if (!all.any(!previous.empty())) return previous;
    Bytes packed;
    all.together([&] {
        if (previous.size() != processors)
            fail_argument(
                "the options have no previous distribution; set it on every rank with processors, or on none");
        put(packed, previous);
    });
    const auto pieces = all.gather(packed);
    all.on_root([&] {
        previous.clear();
        for (const auto &piece : pieces) {
            const auto part = Reader(piece).get_vector<std::int64_t>();
            previous.insert(previous.end(), part.begin(), part.end());
        }
    });
    return previous;
}

} // namespace

WholeProblem gather_checked(const Communicator &all, const PlatformPart &part, const hpart_options *options)
{
    WholeProblem problem;
    problem.platform = gather_platform(all, part);
    problem.options = options;
    const auto previous = gather_previous(all, part.processors.size(), options);
    all.on_root([&] {
        if (previous.empty()) return;
        problem.own_options = copy_of(options);
        problem.options = problem.own_options.get();
        check_status(hpart_options_set_previous(problem.own_options.get(), static_cast<std::int64_t>(previous.size()),
                                                previous.data()));
    });
    return problem;
}

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

Bytes solution_bytes(const WholeSolution &found, std::int64_t first, std::int64_t last)
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
                pieces.push_back(solution_bytes(found, first_of[r], first_of[r + 1]));
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

// hpart_mpi_front_compute: rank 0 computes the front of all ranks, each rank gets it with its own part of the distributions.

namespace
{

FrontHandle compute(const WholeProblem &problem, std::int64_t size, std::int32_t energy)
{
    hpart_front *front = nullptr;
    check_status(hpart_front_compute(problem.platform.handle.get(), size, energy, problem.options, &front));
    return FrontHandle(front);
}

} // namespace

extern "C" {

hpart_status hpart_mpi_front_compute(MPI_Comm comm, const hpart_platform *mine, int64_t size, int32_t energy,
                                     const hpart_options *options, hpart_front **front)
{
    return c_api::guarded([&] {
        const Communicator all(comm);
        const auto problem = gather_problem(all, mine, size, options, [&] { c_api::require(front, "front"); });
        all.require_equal("energy", energy);
        std::vector<Bytes> pieces;
        all.on_root([&] {
            const auto found = compute(problem, size, energy);
            const auto &first_of = problem.platform.first_of;
            for (std::size_t r = 0; r + 1 < first_of.size(); ++r)
                put_front(pieces.emplace_back(), found.get(), first_of[r], first_of[r + 1]);
        });
        const auto piece = all.scatter(pieces);
        FrontHandle found;
        all.together([&] {
            Reader in(piece);
            found = get_front(in);
        });
        *front = found.release();
    });
}

} // extern "C"

// PARALEPH over q ranks, as published: p / q columns a rank, O(n) memory a column, exchange between neighbours, traceback over ranks.
//
// Source: Reddy and Lastovetsky (IEEE Access 6, 2018), Algorithms 3, 4 and 10; paraleph.hpp of the partitioners computes the columns.
// Three changes, not of values:
// - A message has a strip of 64 to 448 cells a thread, not one: at most n / 64 messages a rank in place of n.
// - Only the row index of the trace passes from rank to rank, each adding its own columns' sizes, in place of a broadcast a pointer.
// - A stop passes with the strips to the right: the limits end all ranks.

namespace hpart::mpi
{

namespace
{

constexpr int strip_tag = 2;
constexpr int trace_tag = 3;
// The pipeline idles for a strip a rank, at its begin and end: 1 / 16 of the time. Each message may cost a time slice on busy cores: two
// ranks at (144, 128) waited 3.8 s in 288 strips, 0.5 s in 42.
constexpr std::int64_t strips_a_rank = 16;
constexpr std::int64_t most_blocks = 7; // with one thread MPI sends them without waiting for the receiver: up to 4 KB

struct Share {
    std::int64_t first;
    std::int64_t last;
    std::int64_t strip;
};

Share share_of(const ParalephTask &task, std::int64_t rank, std::int64_t ranks)
{
    const auto before = [&](std::int64_t r) { return task.copies / ranks * r + std::min(r, task.copies % ranks); };
    if (ranks == 1) return {1, task.copies, task.size + 1};
    constexpr auto block = ParalephColumns::block_cells;
    const auto blocks = std::clamp<std::int64_t>(task.size / (strips_a_rank * ranks * block), 1, most_blocks);
    const auto strip = blocks * block * task.threads;
    return {before(rank) + 1, before(rank + 1), strip};
}

Bytes task_bytes(const ParalephTask &task, double seconds_left)
{
    Bytes out;
    for (const auto value : {task.size, task.copies, task.threads}) put(out, value);
    put(out, task.adds);
    put(out, seconds_left);
    std::vector<std::int64_t> sizes;
    std::vector<double> values;
    for (const auto &candidate : task.candidates) {
        sizes.push_back(candidate.size);
        values.push_back(candidate.value);
    }
    put(out, sizes);
    put(out, values);
    put(out, task.collective);
    return out;
}

ParalephTask task_from(Reader &in, double &seconds_left)
{
    ParalephTask task;
    for (auto *value : {&task.size, &task.copies, &task.threads}) *value = in.get<std::int64_t>();
    task.adds = in.get<bool>();
    seconds_left = in.get<double>();
    const auto sizes = in.get_vector<std::int64_t>();
    const auto values = in.get_vector<double>();
    for (std::size_t k = 0; k < sizes.size(); ++k) task.candidates.push_back({sizes[k], values[k]});
    task.collective = in.get_vector<double>();
    return task;
}

// The ranks before and after in the pipeline.
class Neighbours
{
  public:
    Neighbours(const Communicator &all, std::int64_t strip, double seconds_left,
               const std::function<bool(double)> &looks)
        : all_(all), looks_(looks), message_(all.size() > 1 ? static_cast<std::size_t>(strip) + 1 : 0),
          seconds_left_(seconds_left)
    {
    }

    bool receive(double *cells, std::int64_t count)
    {
        if (all_.is_root()) return false;
        const auto start = Clock::now();
        check(MPI_Recv(message_.data(), static_cast<int>(count + 1), MPI_DOUBLE, all_.rank() - 1, strip_tag, all_.get(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
        std::copy_n(message_.data() + 1, count, cells);
        seconds_ += seconds_since(start);
        return message_.front() != 0;
    }

    void send(const double *cells, std::int64_t count, bool stop)
    {
        has_stopped_ = stop;
        if (all_.rank() + 1 == all_.size()) return;
        const auto start = Clock::now();
        message_.front() = stop ? 1 : 0;
        std::copy_n(cells, count, message_.data() + 1);
        check(
            MPI_Send(message_.data(), static_cast<int>(count + 1), MPI_DOUBLE, all_.rank() + 1, strip_tag, all_.get()),
            "MPI_Send");
        seconds_ += seconds_since(start);
    }

    bool looks(double fraction) { return looks_(fraction) || time_is_up(); }
    bool time_is_up() const { return seconds_since(start_) >= seconds_left_; }

    double seconds() const { return seconds_; }
    bool has_stopped() const { return has_stopped_; }

  private:
    const Communicator &all_;
    const std::function<bool(double)> &looks_;
    std::vector<double> message_; // 1 to stop; cells
    double seconds_left_;
    Clock::time_point start_ = Clock::now();
    double seconds_ = 0;
    bool has_stopped_ = false;
};

// Every rank's sizes of its columns up to the best, in order of the columns, on rank 0.
std::vector<std::int64_t> trace_over_ranks(const Communicator &all, const ParalephTask &task,
                                           const ParalephColumns &columns, const ParalephBest &best, int owner)
{
    std::vector<std::int64_t> sizes;
    if (all.rank() <= owner) {
        auto rest = task.size;
        if (all.rank() < owner)
            check(MPI_Recv(&rest, 1, MPI_INT64_T, all.rank() + 1, trace_tag, all.get(), MPI_STATUS_IGNORE), "MPI_Recv");
        rest = columns.trace_back(all.rank() == owner ? best.column : task.copies, rest, sizes);
        if (!all.is_root()) check(MPI_Send(&rest, 1, MPI_INT64_T, all.rank() - 1, trace_tag, all.get()), "MPI_Send");
        std::reverse(sizes.begin(), sizes.end());
    }
    Bytes packed;
    all.together([&] { put(packed, sizes); });
    std::vector<std::int64_t> x;
    const auto pieces = all.gather(packed);
    all.on_root([&] {
        for (const auto &piece : pieces) {
            const auto part = Reader(piece).get_vector<std::int64_t>();
            x.insert(x.end(), part.begin(), part.end());
        }
    });
    return x;
}

std::vector<double> gather_seconds(const Communicator &all, double mine)
{
    std::vector<double> seconds;
    all.on_root([&] { seconds.resize(static_cast<std::size_t>(all.size())); });
    check(MPI_Gather(&mine, 1, MPI_DOUBLE, seconds.data(), 1, MPI_DOUBLE, 0, all.get()), "MPI_Gather");
    return seconds;
}

// Called by every rank; rank 0 gets x and the seconds. False: a rank has stopped.
bool run(const Communicator &all, const ParalephTask &task, double seconds_left,
         const std::function<bool(double)> &looks, std::vector<std::int64_t> &x, RankSeconds &seconds)
{
    const auto share = share_of(task, all.rank(), all.size());
    std::optional<ParalephColumns> columns;
    std::optional<Neighbours> neighbours;
    all.together([&] {
        columns.emplace(task, share.first, share.last, share.strip);
        neighbours.emplace(all, share.strip, seconds_left, looks);
    });
    const auto start = Clock::now();
    columns->fill(*neighbours);
    const auto passed = seconds_since(start);
    seconds.computing = gather_seconds(all, passed - neighbours->seconds());
    seconds.communicating = gather_seconds(all, neighbours->seconds());
    if (all.any(neighbours->has_stopped())) return false;
    const auto &best = columns->best();
    struct {
        double value;
        int rank;
    } least{best.value, all.rank()};
    check(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, all.get()), "MPI_Allreduce");
    if (least.value < infinity) x = trace_over_ranks(all, task, *columns, best, least.rank);
    return true;
}

} // namespace

double RootOfParaleph::bytes(const ParalephTask &task) const
{
    double most = 0;
    for (std::int64_t r = 0; r < all_.size(); ++r) {
        const auto [first, last, strip] = share_of(task, r, all_.size());
        most = std::max(most, ParalephColumns::bytes(task, first, last, strip));
    }
    return most;
}

bool RootOfParaleph::solve(const ParalephTask &task, double seconds_left, const std::function<bool(double)> &looks,
                           std::vector<std::int64_t> &x) noexcept
{
    bool is_complete = false;
    failure_ = failure_of([&] {
        auto packed = task_bytes(task, seconds_left);
        all_.broadcast(packed);
        is_complete = run(all_, task, seconds_left, looks, x, seconds_);
    });
    return is_complete;
}

void RootOfParaleph::end() const
{
    Bytes nothing;
    all_.broadcast(nothing);
    failure_.check();
}

void serve_paraleph(const Communicator &all)
{
    bool is_over = false;
    while (!is_over) {
        const auto failure = failure_of([&] {
            Bytes packed;
            all.broadcast(packed);
            is_over = packed.empty();
            if (is_over) return;
            Reader in(packed);
            double seconds_left = 0;
            const auto task = task_from(in, seconds_left);
            const std::function<bool(double)> looks = [](double) { return false; };
            std::vector<std::int64_t> x;
            RankSeconds seconds;
            run(all, task, seconds_left, looks, x, seconds);
        });
        if (failure.status == HPART_ERR_DEVICE) return; // MPI's: rank 0 may not end it
    }
}

} // namespace hpart::mpi
