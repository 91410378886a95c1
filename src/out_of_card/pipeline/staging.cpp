#include "out_of_card/pipeline/staging.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "host/page_memory.hpp"
#include "host/thread_group.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <system_error>

#include <unistd.h>

namespace hpart
{

namespace
{

// Less is not worth a second thread's waking.
constexpr std::int64_t least_part_bytes = std::int64_t{1} << 18;

void copy_rows(const HostCopy &copy)
{
    const auto [rows, row_bytes] = copy.rectangle;
    for (std::int64_t row = 0; row < rows; ++row)
        std::memcpy(copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch,
                    static_cast<std::size_t>(row_bytes));
}

// Rows [first, first + rows) of it, or bytes of its only row.
HostCopy part_of(const HostCopy &whole, std::int64_t first, std::int64_t count)
{
    auto part = whole;
    const bool one_row = whole.rectangle.rows == 1;
    part.from += first * (one_row ? 1 : whole.from_pitch);
    part.to += first * (one_row ? 1 : whole.to_pitch);
    part.rectangle = one_row ? Rectangle{1, count} : Rectangle{count, whole.rectangle.row_bytes};
    return part;
}

} // namespace

CopyThreads::CopyThreads(int helpers)
{
    threads_.reserve(static_cast<std::size_t>(helpers));
    try {
        for (int k = 0; k < helpers; ++k) threads_.emplace_back([this] { help(); });
    } catch (...) {
        return; // those there are do it all
    }
}

CopyThreads::~CopyThreads()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    for (auto &thread : threads_) thread.join();
}

void CopyThreads::copy(const HostCopy &whole) noexcept
{
    const auto divisible = whole.rectangle.rows == 1 ? whole.rectangle.row_bytes : whole.rectangle.rows;
    const auto parts = std::clamp<std::int64_t>(whole.rectangle.bytes() / least_part_bytes, 1,
                                                std::min(divisible, static_cast<std::int64_t>(threads_.size()) + 1));
    int left = 0;
    for (std::int64_t k = 1; k < parts; ++k) {
        const auto first = divisible * k / parts, end = divisible * (k + 1) / parts;
        const auto part = part_of(whole, first, end - first);
        if (!give(part, left)) copy_rows(part);
    }
    copy_rows(part_of(whole, 0, divisible / parts));
    const auto is_done = [&left] { return left == 0; }; // those who help count it down
    std::unique_lock lock(mutex_);
    while (!is_done()) {
        // This thread does the parts that nobody has taken, of this copy or of others.
        if (parts_.empty())
            done_.wait(lock);
        else
            run_first(lock);
    }
}

bool CopyThreads::give(const HostCopy &copy, int &left) noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        parts_.push_back({copy, &left});
        ++left;
    } catch (const std::bad_alloc &) {
        return false;
    }
    changed_.notify_one();
    return true;
}

void CopyThreads::run_first(std::unique_lock<std::mutex> &lock)
{
    const auto part = parts_.front();
    parts_.pop_front();
    lock.unlock();
    copy_rows(part.copy);
    lock.lock();
    if (--*part.left == 0) done_.notify_all();
}

void CopyThreads::help()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closing_ || !parts_.empty(); });
        if (parts_.empty()) return;
        run_first(lock);
    }
}

namespace
{

constexpr std::int64_t usual_chunk_bytes = std::int64_t{1} << 22; // some 0.2 ms on a fast link
constexpr int usual_chunks = 4;
constexpr int least_chunks = 2;      // one is packed while the other travels
constexpr int most_copy_threads = 8; // one alone copies a tenth of what the fastest links carry

// Part of a rectangle that fits in a chunk.
struct Piece {
    std::int64_t row = 0, column = 0; // in bytes
    Rectangle rectangle;
};

template <typename Use> void for_each_piece(const Rectangle &whole, std::int64_t chunk_bytes, const Use &use)
{
    const auto width = std::min(whole.row_bytes, chunk_bytes);
    const auto height = chunk_bytes / width;
    for (std::int64_t row = 0; row < whole.rows; row += height)
        for (std::int64_t column = 0; column < whole.row_bytes; column += width)
            use(Piece{row, column, {std::min(height, whole.rows - row), std::min(width, whole.row_bytes - column)}});
}

std::int64_t place_in(const Piece &piece, std::int64_t pitch) { return piece.row * pitch + piece.column; }

BufferSide side_of(const BufferSide &whole, const Piece &piece)
{
    return {whole.buffer, whole.offset_bytes + place_in(piece, whole.pitch_bytes), whole.pitch_bytes};
}

} // namespace

StagingMode staging_mode(const Options &options)
{
    const auto mode = options.get_text("staging");
    if (mode == "never") return StagingMode::never;
    return mode == "always" ? StagingMode::always : StagingMode::automatic;
}

StagingSize usual_staging_size()
{
    constexpr std::int64_t share_of_memory = 8, ways = 2;
    const auto most = usable_memory_bytes() / share_of_memory / (ways * usual_chunks);
    const auto cores = static_cast<int>(cores_of_thread(this_thread_id()).size()); // its threads inherit them
    return {std::clamp(most, page_bytes, usual_chunk_bytes), usual_chunks, std::clamp(cores / 2, 1, most_copy_threads)};
}

// Over when what the copy has brought is where it belongs.
class Staging::StagedRead final : public DeviceEvent
{
  public:
    StagedRead(DeviceQueue &queue, const BufferSide &from, std::span<const Event> after, const HostCopy &rest)
        : queue_(queue), from_(from), after_(after.begin(), after.end()), rest_(rest)
    {
    }
    EventState state() const override { return state_.load(std::memory_order_acquire); }
    EventState wait() const override
    {
        state_.wait(EventState::pending, std::memory_order_acquire);
        return state();
    }
    Interval interval() const override { return copy_->interval(); }
    std::string failure() const override { return copy_ ? copy_->failure() : "it could not be given"; }

    // Gives the copy to a chunk's memory.
    void give(Device &device, std::byte *memory)
    {
        rest_.from = memory;
        try {
            copy_ = device.read(queue_, from_, memory, rest_.from_pitch, rest_.rectangle, after_);
            device.flush(queue_);
        } catch (...) {
            error_ = std::current_exception();
        }
        after_.clear();
        is_given_.store(true, std::memory_order_release);
        is_given_.notify_all();
    }
    Event copy_when_given() const
    {
        is_given_.wait(false, std::memory_order_acquire);
        rethrow();
        return copy_;
    }
    // Once given.
    void rethrow() const
    {
        if (error_) std::rethrow_exception(error_);
    }
    void finish(CopyThreads &threads)
    {
        auto state = copy_ ? copy_->wait() : EventState::failed;
        if (error_) state = EventState::failed;
        if (state == EventState::done) threads.copy(rest_);
        state_.store(state, std::memory_order_release);
        state_.notify_all();
    }

  private:
    DeviceQueue &queue_;
    BufferSide from_;
    std::vector<Event> after_;
    HostCopy rest_;
    Event copy_;
    std::exception_ptr error_;
    std::atomic<bool> is_given_{false};
    std::atomic<EventState> state_{EventState::pending};
};

Staging::Chunk &Staging::free_chunk()
{
    auto &chunk = in_[next_in_];
    next_in_ = (next_in_ + 1) % in_.size();
    if (chunk.busy) chunk.busy->wait(); // done or failed: the memory is free
    chunk.busy.reset();
    return chunk;
}

std::shared_ptr<Staging> Staging::of(DeviceSession &session, StagingMode mode)
{
    const auto &info = session.info();
    if (mode == StagingMode::never) return nullptr;
    if (mode == StagingMode::automatic && (info.on_host_cores || info.shares_host_memory)) return nullptr;
    // A forked process has none of the threads, and can neither use nor end what they belong to.
    const auto process = getpid();
    const auto end = [process](Staging *staging) {
        if (getpid() == process) delete staging; // NOLINT(cppcoreguidelines-owning-memory)
    };
    return session.kept<Staging>(text("staging of process ", process), [&]() -> std::shared_ptr<Staging> {
        try {
            return {new Staging(session.device(), usual_staging_size()), end};
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
            return nullptr;
        }
    });
}

double Staging::measured_rate(DeviceSession &session)
{
    return *session.kept_rate<const double>(name_of_rate,
                                            [&] { return std::make_shared<const double>(measure_rate()); });
}

double Staging::measure_rate()
{
    constexpr std::int64_t most_bytes = std::int64_t{1} << 25; // far above what caches near the cores hold
    constexpr int runs = 2;
    const auto bytes = std::max(most_bytes / chunk_bytes_, std::int64_t{1}) * chunk_bytes_;
    const auto plain = allocate_pages(bytes);
    auto *const first = static_cast<std::byte *>(plain.get());
    std::memset(first, 0, static_cast<std::size_t>(bytes)); // the system gives memory when it is written
    const std::lock_guard lock(writing_);
    auto least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < runs; ++run) {
        const auto start = Clock::now();
        for (std::int64_t at = 0; at < bytes; at += chunk_bytes_)
            threads_.copy({first + at,
                           chunk_bytes_,
                           static_cast<std::byte *>(free_chunk().memory->data()),
                           chunk_bytes_,
                           {1, chunk_bytes_}});
        least = std::min(least, seconds_since(start));
    }
    return static_cast<double>(bytes) / least;
}

Staging::Staging(Device &device, const StagingSize &size)
    : device_(device), chunk_bytes_(size.chunk_bytes), threads_(size.copy_threads - 1)
{
    for (int k = 0; k < size.chunks; ++k)
        for (const bool in : {true, false}) {
            try {
                auto memory = device.allocate_pinned(chunk_bytes_);
                if (in)
                    in_.push_back({std::move(memory), nullptr});
                else
                    out_.push_back(std::move(memory));
            } catch (const Error &error) {
                if (error.status() != Status::out_of_memory || k < least_chunks) throw;
            }
        }
    try {
        unpacking_ = std::thread([this] { unpack_all(); });
    } catch (const std::system_error &error) {
        fail(Status::device, "no thread can be started for transfers: ", error.what());
    }
}

Staging::~Staging()
{
    settle();
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    unpacking_.join();
}

void Staging::settle() noexcept
{
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return reads_.empty(); });
    }
    const std::lock_guard lock(writing_);
    for (auto &chunk : in_) {
        if (chunk.busy) chunk.busy->wait();
        chunk.busy.reset();
    }
}

std::int64_t Staging::pinned_bytes() const
{
    return static_cast<std::int64_t>(in_.size() + out_.size()) * chunk_bytes_;
}

void Staging::write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                    const Rectangle &rectangle, std::span<const Event> after, const Given &given)
{
    const std::lock_guard lock(writing_);
    for_each_piece(rectangle, chunk_bytes_, [&](const Piece &piece) {
        auto &chunk = free_chunk();
        auto *const memory = static_cast<std::byte *>(chunk.memory->data());
        const auto pitch = piece.rectangle.row_bytes;
        threads_.copy({static_cast<const std::byte *>(from) + place_in(piece, from_pitch_bytes), from_pitch_bytes,
                       memory, pitch, piece.rectangle});
        chunk.busy = device_.write(queue, side_of(to, piece), memory, pitch, piece.rectangle, after);
        given(chunk.busy);
    });
}

void Staging::read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                   const Rectangle &rectangle, std::span<const Event> after, const Given &given)
{
    for_each_piece(rectangle, chunk_bytes_, [&](const Piece &piece) {
        auto read = std::make_shared<StagedRead>(
            queue, side_of(from, piece), after,
            HostCopy{nullptr, piece.rectangle.row_bytes, static_cast<std::byte *>(to) + place_in(piece, to_pitch_bytes),
                     to_pitch_bytes, piece.rectangle});
        bool is_given = false;
        {
            const std::lock_guard lock(mutex_);
            reads_.push_back(read);
            give_reads();
            is_given = given_ == reads_.size();
        }
        changed_.notify_all();
        if (is_given) read->rethrow();
        given(read);
    });
}

// As many as there are chunks.
void Staging::give_reads()
{
    for (; given_ < std::min(reads_.size(), out_.size()); ++given_) {
        reads_[given_]->give(device_, static_cast<std::byte *>(out_[next_out_]->data()));
        next_out_ = (next_out_ + 1) % out_.size();
    }
}

Event Staging::on_device(const Event &event)
{
    const auto *read = dynamic_cast<const StagedRead *>(event.get());
    return read == nullptr ? event : read->copy_when_given();
}

void Staging::rethrow_failure_of(const Event &event)
{
    if (const auto *read = dynamic_cast<const StagedRead *>(event.get())) read->rethrow();
}

void Staging::unpack_all()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closing_ || !reads_.empty(); });
        if (reads_.empty()) return;
        auto read = reads_.front();
        lock.unlock();
        read->finish(threads_);
        read.reset();
        lock.lock();
        reads_.pop_front();
        --given_;
        give_reads();
        changed_.notify_all();
    }
}

} // namespace hpart
