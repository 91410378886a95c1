#include "mpi/communicator.hpp"

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

} // namespace hpart::mpi
