#include "out_of_card/pipeline/staging.hpp"

#include "core/error.hpp"
#include "host/cores.hpp"
#include "host/page_memory.hpp"
#include "out_of_card/pipeline/blocks.hpp"

#include <algorithm>
#include <system_error>

namespace hpart
{

namespace
{

constexpr std::int64_t usual_chunk_bytes = std::int64_t{1} << 22; // some 0.2 ms on a fast link
constexpr int usual_chunks = 4;
constexpr int least_chunks = 2; // one is packed while the other travels
constexpr int most_copy_threads = 4;

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

HostBlock block_of(const void *memory, std::int64_t pitch, const Rectangle &rectangle)
{
    return {reinterpret_cast<std::uintptr_t>(memory), rectangle.rows, rectangle.row_bytes,
            std::max(pitch, rectangle.row_bytes)};
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
    const auto most = physical_memory_bytes() / share_of_memory / (ways * usual_chunks);
    const auto cores = static_cast<int>(usable_cores().size());
    return {std::clamp(most, page_bytes, usual_chunk_bytes), usual_chunks, std::clamp(cores / 2, 1, most_copy_threads)};
}

// Over when what the copy has brought is where it belongs.
class Staging::StagedRead final : public DeviceEvent
{
  public:
    StagedRead(Event copy, const HostCopy &rest) : copy_(std::move(copy)), rest_(rest) {}
    EventState state() const override { return state_.load(std::memory_order_acquire); }
    EventState wait() const override
    {
        state_.wait(EventState::pending, std::memory_order_acquire);
        return state();
    }
    Interval interval() const override { return copy_->interval(); }
    std::string failure() const override { return copy_->failure(); }

    const Event &copy() const { return copy_; }
    const HostCopy &rest() const { return rest_; }
    void end(EventState state)
    {
        state_.store(state, std::memory_order_release);
        state_.notify_all();
    }

  private:
    Event copy_;
    HostCopy rest_;
    std::atomic<EventState> state_{EventState::pending};
};

Staging::Chunk &Staging::Ring::free_one()
{
    auto &chunk = chunks[next];
    next = (next + 1) % chunks.size();
    if (chunk.busy) chunk.busy->wait(); // done or failed: the memory is free
    chunk.busy.reset();
    return chunk;
}

std::shared_ptr<Staging> Staging::of(Card &card, StagingMode mode)
{
    const auto &info = card.info();
    if (mode == StagingMode::never) return nullptr;
    if (mode == StagingMode::automatic && (info.on_host_cores || info.shares_host_memory)) return nullptr;
    return card.kept<Staging>("staging", [&]() -> std::shared_ptr<Staging> {
        try {
            return std::make_shared<Staging>(card.device(), usual_staging_size());
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
            return nullptr;
        }
    });
}

Staging::Staging(Device &device, const StagingSize &size)
    : device_(device), chunk_bytes_(size.chunk_bytes), threads_(size.copy_threads - 1)
{
    for (int k = 0; k < size.chunks; ++k)
        for (auto *ring : {&in_, &out_}) {
            try {
                ring->chunks.push_back({device.allocate_pinned(chunk_bytes_), nullptr});
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
    for (auto *ring : {&in_, &out_}) {
        const std::lock_guard lock(ring->mutex);
        for (auto &chunk : ring->chunks) {
            if (chunk.busy) chunk.busy->wait();
            chunk.busy.reset();
        }
    }
}

std::int64_t Staging::pinned_bytes() const
{
    return static_cast<std::int64_t>(in_.chunks.size() + out_.chunks.size()) * chunk_bytes_;
}

void Staging::write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                    const Rectangle &rectangle, std::span<const Event> after, const Given &given)
{
    wait_for_reads_into(from, from_pitch_bytes, rectangle);
    const std::lock_guard lock(in_.mutex);
    for_each_piece(rectangle, chunk_bytes_, [&](const Piece &piece) {
        auto &chunk = in_.free_one();
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
    const std::lock_guard lock(out_.mutex);
    for_each_piece(rectangle, chunk_bytes_, [&](const Piece &piece) {
        auto &chunk = out_.free_one();
        auto *const memory = static_cast<std::byte *>(chunk.memory->data());
        const auto pitch = piece.rectangle.row_bytes;
        chunk.busy = device_.read(queue, side_of(from, piece), memory, pitch, piece.rectangle, after);
        auto read = std::make_shared<StagedRead>(
            chunk.busy, HostCopy{memory, pitch, static_cast<std::byte *>(to) + place_in(piece, to_pitch_bytes),
                                 to_pitch_bytes, piece.rectangle});
        {
            const std::lock_guard reads_lock(mutex_);
            reads_.push_back(read);
        }
        changed_.notify_all();
        chunk.busy = read;
        given(read);
    });
}

// What is to be sent may still be on its way from the card.
void Staging::wait_for_reads_into(const void *from, std::int64_t pitch, const Rectangle &rectangle)
{
    const auto wanted = block_of(from, pitch, rectangle);
    std::shared_ptr<StagedRead> last;
    {
        const std::lock_guard lock(mutex_);
        for (const auto &read : reads_)
            if (const auto &rest = read->rest(); overlap(wanted, block_of(rest.to, rest.to_pitch, rest.rectangle)))
                last = read;
    }
    if (last) last->wait(); // those before it are over then
}

Event Staging::on_device(const Event &event)
{
    const auto *read = dynamic_cast<const StagedRead *>(event.get());
    return read == nullptr ? event : read->copy();
}

void Staging::unpack_all()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closing_ || !reads_.empty(); });
        if (reads_.empty()) return;
        auto read = reads_.front();
        lock.unlock();
        const auto state = read->copy()->wait();
        if (state == EventState::done) threads_.copy(read->rest());
        read->end(state);
        read.reset();
        lock.lock();
        reads_.pop_front();
        changed_.notify_all();
    }
}

} // namespace hpart
