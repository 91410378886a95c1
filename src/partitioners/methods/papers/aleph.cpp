// ALEPH: all Pareto points of (max t(x_i), sum e(x_i)) over x with sum x_i = n on p identical processors. Exact but for rounding:
// energies are added along a distribution, its smallest size first; other orders of the same sizes are not tried.
//
// Source: Reddy and Lastovetsky, "Bi-objective optimization of data-parallel applications on homogeneous multicore clusters for
// performance and energy" (IEEE Transactions on Computers 67, 2018), as told by Reddy and Lastovetsky (IEEE Access 6, 2018):
// the functions of time and dynamic energy in, the Pareto-optimal set out, by memorised subproblems as POPTA and EOPTA, in
// O(m^2 p^2) subproblem steps and O(n p^2) memory. No pseudo-code is at hand; this is built from that text.
//
// The front of n over p is made of a point at or above the mean for one processor and a point of the front of the rest over the
// processors left. Fronts are memorised by (workload, processors).
//
// Exact: every distribution has a size at or above the mean. Replacing the rest by another that is no slower and costs no more is
// never worse, and then the rest's front is enough.
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/methods/papers/copies_search.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hpart
{

namespace
{

// A distribution of a part: its first processor's point, and which point of the rest's front follows.
struct PartialPoint {
    double seconds;
    double joules;
    std::int64_t taken; // size of the first
    std::uint32_t rest;
};

class AlephSearch
{
  public:
    AlephSearch(const AlikeFunction &function, Control &control)
        : function_(function), control_(control), pacer_(control, "ALEPH: joining fronts")
    {
    }

    std::vector<FrontPoint> run(std::int64_t size)
    {
        const Part whole{size, function_.copies};
        std::vector<Node> stack{{whole, 0}};
        while (!stack.empty()) {
            auto &node = stack.back();
            if (has_front(node.part)) {
                stack.pop_back();
            } else if (node.point < function_.points.size()) {
                const auto &point = function_.points[node.point++];
                if (fits(node.part, point)) stack.push_back({rest_of(node.part, point), 0});
            } else {
                keep(node.part, join_rests(node.part));
                stack.pop_back();
            }
        }
        std::vector<FrontPoint> front;
        const auto &links = front_of(whole);
        for (std::uint32_t k = 0; k < links.size(); ++k)
            front.push_back({links[k].seconds, links[k].joules, distribution(whole, k)});
        return front;
    }

  private:
    using Part = std::pair<std::int64_t, std::int64_t>; // size, processors
    using Front = std::vector<PartialPoint>;            // by increasing time
    struct Node {
        Part part;
        std::size_t point; // whose rest is asked for next
    };

    static bool fits(const Part &part, const AlikePoint &point)
    {
        const auto mean = (part.first - 1) / part.second + 1;
        return point.size >= mean && point.size <= part.first;
    }

    static Part rest_of(const Part &part, const AlikePoint &point)
    {
        return {part.first - point.size, part.second - 1};
    }

    // Without a search, or kept.
    bool has_front(const Part &part) const
    {
        return part.first == 0 || part.second == 0 || fronts_.find(part) != fronts_.end();
    }

    const Front &front_of(const Part &part) const
    {
        if (part.first > 0 && part.second > 0) return fronts_.at(part);
        const bool done = part.first == 0 && (part.second == 0 || function_.may_idle);
        return done ? nothing_left_ : impossible_;
    }

    Front join_rests(const Part &part)
    {
        ++control_.counters.nodes;
        Front all;
        for (const auto &point : function_.points) {
            if (!fits(part, point)) continue;
            const auto &rest = front_of(rest_of(part, point));
            for (std::uint32_t k = 0; k < rest.size(); ++k)
                all.push_back({std::max(point.seconds, rest[k].seconds), rest[k].joules + point.joules, point.size, k});
            pacer_.spend(static_cast<std::int64_t>(rest.size()) + 1);
        }
        std::stable_sort(all.begin(), all.end(), [](const PartialPoint &a, const PartialPoint &b) {
            return a.seconds != b.seconds ? a.seconds < b.seconds : a.joules < b.joules;
        });
        auto least = infinity;
        const auto dominated = [&](const PartialPoint &link) {
            if (link.joules >= least) return true;
            least = link.joules;
            return false;
        };
        all.erase(std::remove_if(all.begin(), all.end(), dominated), all.end());
        all.shrink_to_fit();
        return all;
    }

    void keep(const Part &part, Front front)
    {
        bytes_ += static_cast<std::int64_t>(sizeof(Part) + sizeof(Front) + front.size() * sizeof(PartialPoint));
        if (bytes_ > control_.memory_limit()) fail_memory(control_.memory_limit());
        fronts_.emplace(part, std::move(front));
    }

    // Idle processors first, then by the order of the additions.
    std::vector<std::int64_t> distribution(Part part, std::uint32_t k) const
    {
        std::vector<std::int64_t> x;
        while (part.first > 0) {
            const auto &link = front_of(part)[k];
            x.push_back(link.taken * function_.unit);
            part = {part.first - link.taken, part.second - 1};
            k = link.rest;
        }
        x.resize(static_cast<std::size_t>(function_.copies), 0);
        std::reverse(x.begin(), x.end());
        return x;
    }

    const AlikeFunction &function_;
    Control &control_;
    Pacer pacer_;
    std::map<Part, Front> fronts_;
    std::int64_t bytes_ = 0;
    const Front nothing_left_{{0, 0, 0, 0}};
    const Front impossible_;
};

} // namespace

std::vector<FrontPoint> aleph(const PartitionProblem &problem, Control &control)
{
    const auto function = alike_function_of(problem.instance, "aleph", "hepopta or exact");
    const auto copies = problem.instance.processors();
    if (problem.size == 0) return {{0, 0, std::vector<std::int64_t>(copies, 0)}};
    if (problem.size % function.unit != 0) return {};
    return AlephSearch(function, control).run(problem.size / function.unit);
}

} // namespace hpart
