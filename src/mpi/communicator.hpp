// A communicator for one call: the ranks fail together, with one message, or go on together.
#pragma once

#include "c_api/handles.hpp"
#include "core/error.hpp"
#include "hpart.h"
#include "hpart_mpi.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace hpart::mpi
{

// Values in a row of bytes, for messages between processes of one program.

using Bytes = std::vector<char>;

template <typename Value> void put(Bytes &out, const Value &value)
{
    static_assert(std::is_arithmetic_v<Value> || (std::is_class_v<Value> && std::is_trivially_copyable_v<Value>));
    const auto *begin = reinterpret_cast<const char *>(&value);
    out.insert(out.end(), begin, begin + sizeof value);
}

template <typename Value> void put(Bytes &out, const std::vector<Value> &values)
{
    static_assert(std::is_arithmetic_v<Value>);
    put(out, static_cast<std::int64_t>(values.size()));
    const auto *begin = reinterpret_cast<const char *>(values.data());
    out.insert(out.end(), begin, begin + values.size() * sizeof(Value));
}

inline void put(Bytes &out, const std::string &words)
{
    put(out, static_cast<std::int64_t>(words.size()));
    out.insert(out.end(), words.begin(), words.end());
}

// Reads in the order of writing.
class Reader
{
  public:
    explicit Reader(const Bytes &bytes) : next_(bytes.data()) {}

    template <typename Value> Value get()
    {
        Value value{};
        read(&value, sizeof value);
        return value;
    }

    template <typename Value> std::vector<Value> get_vector()
    {
        std::vector<Value> values(static_cast<std::size_t>(get<std::int64_t>()));
        read(values.data(), values.size() * sizeof(Value));
        return values;
    }

    std::string get_text()
    {
        std::string words(static_cast<std::size_t>(get<std::int64_t>()), '\0');
        read(words.data(), words.size());
        return words;
    }

  private:
    void read(void *target, std::size_t count)
    {
        if (count > 0) std::memcpy(target, next_, count);
        next_ += count;
    }

    const char *next_;
};

// Throws Status::device with MPI's text.
void check(int code, const char *function);

// Throws the failure of a function of hpart.h.
void check_status(hpart_status status);

// The failure of this rank. It needs no memory: being out of it is one of them.
struct Failure {
    std::int32_t status = HPART_SUCCESS;
    std::array<char, c_api::last_error_bytes> message{};
    std::array<char, c_api::last_option_bytes> option{};

    void set(Status why, const char *words, const char *key = "") noexcept;
    // Throws it, unless it is a success.
    void check(const std::string &prefix = "") const;
};

template <typename Body> Failure failure_of(Body &&body) noexcept
{
    Failure failure;
    c_api::status_of(body, [&](Status status, const char *words, const char *key) {
        failure.set(status, words, key);
        return failure.status;
    });
    return failure;
}

// A duplicate of the caller's communicator: messages of the two do not mix. Every rank makes the same calls in the same order.
class Communicator
{
  public:
    explicit Communicator(MPI_Comm users);
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;
    ~Communicator();

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_root() const { return rank_ == 0; }
    MPI_Comm get() const { return comm_; }

    // Runs body on every rank. If it throws on any, all ranks throw the error of the first such rank, which the message names.
    template <typename Body> void together(Body &&body) const { agree(failure_of(body)); }
    // Runs body on rank 0, whose error all ranks throw.
    template <typename Body> void on_root(Body &&body) const
    {
        Failure failure;
        if (is_root()) failure = failure_of(body);
        share(failure, 0, "");
    }

    // Fails unless the argument is the same on all ranks.
    void require_equal(const char *name, std::int64_t value) const;
    // True if it is on any rank.
    bool any(bool value) const;
    std::int64_t largest(std::int64_t value) const;
    // Returns when all ranks have called it, without using the processor while it waits. `meanwhile` runs until then.
    template <typename Meanwhile> void wait_for_all(Meanwhile &&meanwhile) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
        for (int done = 0; true; meanwhile()) {
            check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            if (done != 0) return;
        }
    }
    void wait_for_all() const;

    // Rank 0 gets the bytes of every rank, the others nothing.
    std::vector<Bytes> gather(const Bytes &mine) const;
    // Every rank gets the bytes of rank 0.
    void broadcast(Bytes &bytes) const;
    // Rank r gets pieces[r] of rank 0.
    Bytes scatter(const std::vector<Bytes> &pieces) const;

  private:
    // All ranks throw the failure of the first rank that has one.
    void agree(const Failure &mine) const;
    void share(Failure &failure, int source, const std::string &prefix) const;
    void send(const Bytes &bytes, int to) const;
    void receive(Bytes &bytes, int from) const;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

} // namespace hpart::mpi

// Objects of libhpart by their inside: hpart.h makes no report and no front from given values, and reads no option.

namespace hpart
{
class ParalephRanks;
} // namespace hpart

namespace hpart::mpi
{

struct ReportDestroy {
    void operator()(hpart_report *report) const { hpart_report_destroy(report); }
};
using ReportHandle = std::unique_ptr<hpart_report, ReportDestroy>;

struct FrontDestroy {
    void operator()(hpart_front *front) const { hpart_front_destroy(front); }
};
using FrontHandle = std::unique_ptr<hpart_front, FrontDestroy>;

struct OptionsDestroy {
    void operator()(hpart_options *options) const { hpart_options_destroy(options); }
};
using OptionsHandle = std::unique_ptr<hpart_options, OptionsDestroy>;

void put_report(Bytes &out, const hpart_report *report);
ReportHandle get_report(Reader &in);

// The front with x of the processors first..last - 1.
void put_front(Bytes &out, const hpart_front *front, std::int64_t first, std::int64_t last);
FrontHandle get_front(Reader &in);

// The distribution of hpart_options_set_previous; empty without one.
std::vector<std::int64_t> previous_of(const hpart_options *options);
// A copy, all defaults of NULL; the caller's progress callback too.
OptionsHandle copy_of(const hpart_options *options);

// Method paraleph of a call with these options then uses the ranks.
void set_paraleph_ranks(hpart_options *options, ParalephRanks *ranks);
void set_in_report(hpart_report *report, const char *key, std::vector<double> values);

// Options of hpart_mpi_profile that all ranks must agree on.
struct ProfileSettings {
    bool is_random = true;
    bool is_simultaneous = true;
    double total_seconds = 0;
    std::string alike; // each rank's own
};
// Fails if an option is set that needs all sizes at once.
ProfileSettings profile_settings(const hpart_options *options);
// A copy for hpart_team_profile.
OptionsHandle profile_options(const hpart_options *options);

} // namespace hpart::mpi
