#include "core/error.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

struct Kind {
    std::string_view name;
    std::shared_ptr<InCardFft> (*make)(Card &card);
};

// Best guess first.
std::vector<Kind> kinds_of(const Card &card)
{
    std::vector<Kind> kinds;
#ifdef HPART_HAVE_FFTW
    if (card.info().backend == Backend::host) kinds.push_back({"fftw", make_fft_on_host});
#endif
    return kinds;
}

} // namespace

std::vector<std::string> in_card_fft_names(Card &card)
{
    std::vector<std::string> names;
    for (const auto &kind : kinds_of(card)) names.emplace_back(kind.name);
    return names;
}

std::shared_ptr<InCardFft> in_card_fft(Card &card, std::string_view name)
{
    const auto kinds = kinds_of(card);
    const bool any = name.empty() || name == "auto";
    const auto wanted =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind &kind) { return any || kind.name == name; });
    if (wanted != kinds.end())
        return card.kept<InCardFft>(text("fft ", wanted->name), [&] { return wanted->make(card); });
    if (any) return nullptr;
    std::string names;
    for (const auto &kind : kinds) names += text(names.empty() ? "" : ", ", kind.name);
    fail(Status::unsupported, "kernel is ", in_quotes(name), "; ", card.info().spec,
         " has for Fourier transforms: ", names.empty() ? "none" : names);
}

} // namespace hpart
