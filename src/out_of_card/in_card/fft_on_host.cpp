#include "host/crew.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"
#include "out_of_card/in_card/fft_lines.hpp"
#include "out_of_card/in_card/fft_twist.hpp"

#include <map>

namespace hpart
{

namespace
{

unsigned char *address(const CardPlace &place)
{
    return static_cast<unsigned char *>(place.buffer->native()) + place.offset_bytes;
}

class FftOnHost final : public InCardFft
{
  public:
    explicit FftOnHost(std::int64_t units) : crew_(std::vector<CoreList>(static_cast<std::size_t>(units))) {}

    std::string_view name() const override { return "fftw"; }
    bool supports(const CardFftShape &) const override { return true; }
    bool supports_pitch() const override { return true; }
    std::int64_t table_bytes(const CardFftShape &) const override { return 0; }
    std::int64_t scratch_bytes(const CardFftShape &) const override { return 0; }

    void prepare(const CardFftShape &shape) override { lines_of(shape); }

    Launch transform(const CardFftShape &shape, const CardPlace &data, DeviceBuffer *) override
    {
        const auto lines = lines_of(shape);
        const auto &plans = lines->plans_for_a_run();
        return [this, lines, &plans, data](LaunchContext &) {
            in_parts(lines->parts(), [&](std::int64_t part) { lines->run(plans, part, address(data)); });
        };
    }

    Launch twist(const CardTwist &what) override
    {
        return [this, what](LaunchContext &) {
            const auto parts = std::min(units(), what.columns);
            in_parts(parts, [&](std::int64_t part) {
                twist_rows(what, address(what.from), address(what.to), address(what.roots), what.columns * part / parts,
                           what.columns * (part + 1) / parts);
            });
        };
    }

  private:
    std::shared_ptr<FftLines> lines_of(const CardFftShape &shape)
    {
        auto &lines = lines_[shape];
        if (!lines) lines = std::make_shared<FftLines>(shape, units());
        return lines;
    }

    std::int64_t units() const { return static_cast<std::int64_t>(crew_.size()); }

    template <typename Job> void in_parts(std::int64_t parts, const Job &job)
    {
        if (parts == 1) return job(0);
        crew_.run([&](std::size_t member) {
            if (static_cast<std::int64_t>(member) < parts) job(static_cast<std::int64_t>(member));
        });
    }

    Crew crew_; // of one launch at a time: the card has one queue of kernels
    std::map<CardFftShape, std::shared_ptr<FftLines>> lines_;
};

} // namespace

std::shared_ptr<InCardFft> make_fft_on_host(Card &card)
{
    if (card.info().backend != Backend::host) return nullptr;
    return std::make_shared<FftOnHost>(card.info().compute_units);
}

} // namespace hpart
