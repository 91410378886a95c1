#include "mpi/communicator.hpp"

#include "c_api/handles.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>

namespace hpart::mpi
{

namespace
{

// MPI counts in int.
constexpr std::size_t longest_message = std::size_t{1} << 30;
constexpr int tag = 1;

// Calls transfer(begin, count) for pieces that MPI can count.
template <typename Char, typename Transfer> void in_pieces(Char *bytes, std::size_t count, Transfer &&transfer)
{
    for (std::size_t done = 0; done < count; done += longest_message)
        transfer(bytes + done, static_cast<int>(std::min(longest_message, count - done)));
}

#if defined(OPEN_MPI)
constexpr const char *mpi_of_build = "Open MPI";
#elif defined(MPICH_VERSION)
constexpr const char *mpi_of_build = "MPICH";
#else
constexpr const char *mpi_of_build = nullptr;
#endif

// Open MPI and the implementations with MPICH's binary interface have handles of unlike types.
void check_implementation()
{
    if (mpi_of_build == nullptr) return;
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> words{};
    int length = 0;
    if (MPI_Get_library_version(words.data(), &length) != MPI_SUCCESS) return;
    const std::string_view library(words.data());
    const bool is_open_mpi = library.find("Open MPI") != std::string_view::npos;
    const bool is_mpich = std::ranges::any_of(std::array{"MPICH", "MVAPICH", "Intel(R) MPI"}, [&](const char *name) {
        return library.find(name) != std::string_view::npos;
    });
    if (std::string_view(mpi_of_build) == "Open MPI" ? is_open_mpi || !is_mpich : is_mpich || !is_open_mpi) return;
    fail(Status::unsupported, "libhpart_mpi was built for ", mpi_of_build, ", and this program runs under '",
         library.substr(0, library.find_first_of("\n,")), "'; build hpart with the MPI of the program");
}

// A communicator in use: MPI's own errors on a wrong one end the program.
MPI_Comm checked(MPI_Comm users)
{
    check_implementation();
    int initialized = 0, finalized = 0, between_groups = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0) fail_argument("MPI is not initialised; call MPI_Init before");
    if (finalized != 0) fail_argument("MPI is finalised; call before MPI_Finalize");
    if (users == MPI_COMM_NULL) fail_argument("comm is MPI_COMM_NULL; it must be a communicator of this process");
    check(MPI_Comm_test_inter(users, &between_groups), "MPI_Comm_test_inter");
    if (between_groups != 0) fail_argument("comm is an intercommunicator; it must be an intracommunicator");
    return users;
}

} // namespace

void check(int code, const char *function)
{
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING + 1> words{};
    int length = 0;
    MPI_Error_string(code, words.data(), &length);
    fail(Status::device, function, " failed: ", words.data());
}

void check_status(hpart_status status)
{
    if (status != HPART_SUCCESS)
        throw Error(static_cast<Status>(status), hpart_last_error(), hpart_last_error_option());
}

void Failure::set(Status why, const char *words, const char *key) noexcept
{
    status = static_cast<std::int32_t>(why);
    std::strncpy(message.data(), words, message.size() - 1);
    std::strncpy(option.data(), key, option.size() - 1);
}

void Failure::check(const std::string &prefix) const
{
    if (status != HPART_SUCCESS) throw Error(static_cast<Status>(status), prefix + message.data(), option.data());
}

Communicator::Communicator(MPI_Comm users)
{
    // The caller's handler of errors may end the program.
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(checked(users), &handler);
    MPI_Comm_set_errhandler(users, MPI_ERRORS_RETURN);
    const int code = MPI_Comm_dup(users, &comm_);
    MPI_Comm_set_errhandler(users, handler);
    MPI_Errhandler_free(&handler);
    check(code, "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() { MPI_Comm_free(&comm_); }

void Communicator::agree(const Failure &mine) const
{
    int first = mine.status == HPART_SUCCESS ? size_ : rank_;
    check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
    if (first == size_) return;
    auto failure = mine;
    share(failure, first, size_ > 1 ? text("rank ", first, ": ") : std::string());
}

void Communicator::share(Failure &failure, int source, const std::string &prefix) const
{
    check(MPI_Bcast(&failure.status, 1, MPI_INT32_T, source, comm_), "MPI_Bcast");
    if (failure.status == HPART_SUCCESS) return;
    for (const auto text : {std::span<char>(failure.message), std::span<char>(failure.option)})
        check(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, source, comm_), "MPI_Bcast");
    failure.check(prefix);
}

void Communicator::require_equal(const char *name, std::int64_t value) const
{
    std::int64_t least = value, largest = value;
    check(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, comm_), "MPI_Allreduce");
    check(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
    if (least != largest)
        fail_argument(name, " is ", least, " on one rank and ", largest, " on another; it must be the same on all");
}

bool Communicator::any(bool value) const { return largest(value ? 1 : 0) != 0; }

std::int64_t Communicator::largest(std::int64_t value) const
{
    check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
    return value;
}

void Communicator::wait_for_all() const
{
    // MPI_Barrier would keep a core busy, perhaps a core that another rank measures.
    wait_for_all([] { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
}

void Communicator::send(const Bytes &bytes, int to) const
{
    in_pieces(bytes.data(), bytes.size(), [&](const char *piece, int count) {
        check(MPI_Send(piece, count, MPI_BYTE, to, tag, comm_), "MPI_Send");
    });
}

void Communicator::receive(Bytes &bytes, int from) const
{
    in_pieces(bytes.data(), bytes.size(), [&](char *piece, int count) {
        check(MPI_Recv(piece, count, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    });
}

std::vector<Bytes> Communicator::gather(const Bytes &mine) const
{
    std::vector<std::int64_t> lengths;
    std::vector<Bytes> all;
    on_root([&] { lengths.resize(static_cast<std::size_t>(size_)); });
    const auto length = static_cast<std::int64_t>(mine.size());
    check(MPI_Gather(&length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, 0, comm_), "MPI_Gather");
    on_root([&] {
        all.push_back(mine);
        for (std::size_t r = 1; r < lengths.size(); ++r) all.emplace_back(static_cast<std::size_t>(lengths[r]));
    });
    if (!is_root()) send(mine, 0);
    for (std::size_t r = 1; r < all.size(); ++r) receive(all[r], static_cast<int>(r));
    return all;
}

void Communicator::broadcast(Bytes &bytes) const
{
    auto length = static_cast<std::int64_t>(bytes.size());
    check(MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm_), "MPI_Bcast");
    together([&] { bytes.resize(static_cast<std::size_t>(length)); });
    in_pieces(bytes.data(), bytes.size(),
              [&](char *piece, int count) { check(MPI_Bcast(piece, count, MPI_BYTE, 0, comm_), "MPI_Bcast"); });
}

Bytes Communicator::scatter(const std::vector<Bytes> &pieces) const
{
    std::vector<std::int64_t> lengths;
    Bytes mine;
    on_root([&] {
        for (const auto &piece : pieces) lengths.push_back(static_cast<std::int64_t>(piece.size()));
        mine = pieces.front();
    });
    std::int64_t length = 0;
    check(MPI_Scatter(lengths.data(), 1, MPI_INT64_T, &length, 1, MPI_INT64_T, 0, comm_), "MPI_Scatter");
    together([&] { mine.resize(static_cast<std::size_t>(length)); });
    if (!is_root()) receive(mine, 0);
    for (std::size_t r = 1; r < lengths.size(); ++r) send(pieces[r], static_cast<int>(r));
    return mine;
}

namespace
{

// In the order of the variant's alternatives.
void put_values(Bytes &out, const Report &report);

struct PutValue {
    Bytes &out;
    template <typename Value> void operator()(const Value &value) const { put(out, value); }
    void operator()(const Report::Rows &rows) const
    {
        put(out, static_cast<std::int64_t>(rows.size()));
        for (const auto &row : rows) put_values(out, row);
    }
};

void put_values(Bytes &out, const Report &report)
{
    put(out, report.count());
    for (std::int64_t k = 0; k < report.count(); ++k) {
        const auto &key = report.key(k);
        const auto &value = report.get(key);
        put(out, key);
        put(out, static_cast<std::int64_t>(value.index()));
        std::visit(PutValue{out}, value);
    }
}

Report report_from(Reader &in)
{
    Report report;
    for (auto left = in.get<std::int64_t>(); left > 0; --left) {
        const auto key = in.get_text();
        switch (in.get<std::int64_t>()) {
        case 0: report.set(key, in.get<std::int64_t>()); break;
        case 1: report.set(key, in.get<double>()); break;
        case 2: report.set(key, in.get_text()); break;
        case 3: report.set(key, in.get_vector<double>()); break;
        default: {
            Report::Rows rows(static_cast<std::size_t>(in.get<std::int64_t>()));
            for (auto &row : rows) row = report_from(in);
            report.set(key, std::move(rows));
        }
        }
    }
    return report;
}

} // namespace

void put_report(Bytes &out, const hpart_report *report) { put_values(out, report->value); }

ReportHandle get_report(Reader &in) { return ReportHandle(new hpart_report{report_from(in)}); }

void put_front(Bytes &out, const hpart_front *front, std::int64_t first, std::int64_t last)
{
    const auto &points = front->value.points;
    put(out, static_cast<std::int64_t>(points.size()));
    for (const auto &point : points) {
        put(out, point.seconds);
        put(out, point.joules);
        put(out, std::vector(point.x.begin() + first, point.x.begin() + last));
    }
    put_values(out, front->value.report);
}

FrontHandle get_front(Reader &in)
{
    Front front;
    for (auto left = in.get<std::int64_t>(); left > 0; --left) {
        const auto seconds = in.get<double>(), joules = in.get<double>();
        front.points.push_back({seconds, joules, in.get_vector<std::int64_t>()});
    }
    front.report = report_from(in);
    return FrontHandle(new hpart_front{std::move(front)});
}

std::vector<std::int64_t> previous_of(const hpart_options *options)
{
    return options == nullptr ? std::vector<std::int64_t>() : options->value.previous();
}

OptionsHandle copy_of(const hpart_options *options)
{
    return OptionsHandle(options == nullptr ? new hpart_options{} : new hpart_options{options->value});
}

void set_paraleph_ranks(hpart_options *options, ParalephRanks *ranks) { options->value.set_paraleph_ranks(ranks); }

void set_in_report(hpart_report *report, const char *key, std::vector<double> values)
{
    report->value.set(key, std::move(values));
}

ProfileSettings profile_settings(const hpart_options *options)
{
    const auto settings = options == nullptr ? Options() : options->value;
    for (const auto *key : {"checkpoint_file", "samples_file", "max_sizes"})
        if (settings.is_set(key))
            fail_option(key, " does not belong to hpart_mpi_profile, which measures each size by itself");
    return {settings.get_text("order") == "random", settings.get_int("simultaneous") == 1,
            settings.get_double("max_total_seconds"), settings.get_text("alike")};
}

OptionsHandle profile_options(const hpart_options *options)
{
    auto copy = copy_of(options);
    copy->value.unset("alike");
    return copy;
}

} // namespace hpart::mpi
