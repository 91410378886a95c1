#include "core/error.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

struct Kind {
    std::string_view name;
    std::shared_ptr<InCardGemm> (*make)(Card &, Scalar);
};

std::vector<Kind> kinds_of(const Card &card, Scalar type)
{
    std::vector<Kind> kinds;
    if (is_double(type) && !card.info().double_precision) return kinds;
#ifdef HPART_HAVE_OPENBLAS
    if (card.info().backend == Backend::host) kinds.push_back({"openblas", make_host_gemm});
#endif
    if (card.info().backend == Backend::cuda) kinds.push_back({"cublas", make_cublas_gemm});
    return kinds;
}

[[noreturn]] void fail_unknown(const Card &card, std::string_view name, const std::vector<Kind> &kinds)
{
    std::string names;
    for (const auto &kind : kinds) names += text(names.empty() ? "" : ", ", kind.name);
    fail(Status::unsupported, "kernel is ", in_quotes(name), "; on ", card.info().spec,
         " it must be auto or one of: ", names.empty() ? "none" : names);
}

} // namespace

std::vector<std::string> in_card_gemm_names(Card &card, Scalar type)
{
    std::vector<std::string> names;
    for (const auto &kind : kinds_of(card, type)) names.emplace_back(kind.name);
    return names;
}

std::shared_ptr<InCardGemm> in_card_gemm(Card &card, Scalar type, std::string_view name)
{
    const auto kinds = kinds_of(card, type);
    if (kinds.empty())
        fail(Status::unsupported, card.info().spec, " has no kernel for products of this type in this build");
    if (name.empty() || name == "auto") return in_card_gemm(card, type, kinds.front().name);
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind &kind) { return kind.name == name; });
    if (found == kinds.end()) fail_unknown(card, name, kinds);
    return card.kept<InCardGemm>(text("gemm ", found->name, " ", static_cast<int>(type)),
                                 [&] { return found->make(card, type); });
}

} // namespace hpart
