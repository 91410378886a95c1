#include "core/error.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

std::vector<GemmKind> kinds_of(Card &card, Scalar type)
{
    if (is_double(type) && !card.info().double_precision) return {};
    switch (card.info().backend) {
    case Backend::host:
#ifdef HPART_HAVE_OPENBLAS
        return {{"openblas", make_host_gemm}};
#else
        return {};
#endif
    case Backend::opencl:
#ifdef HPART_HAVE_OPENCL
        return opencl_gemm_kinds(card);
#else
        return {};
#endif
    case Backend::cuda: return {{"cublas", make_cublas_gemm}};
    }
    return {};
}

[[noreturn]] void fail_unknown(const Card &card, std::string_view name, const std::vector<GemmKind> &kinds)
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
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const GemmKind &kind) { return kind.name == name; });
    if (found == kinds.end()) fail_unknown(card, name, kinds);
    return card.kept<InCardGemm>(text("gemm ", found->name, " ", static_cast<int>(type)),
                                 [&] { return found->make(card, type); });
}

} // namespace hpart
