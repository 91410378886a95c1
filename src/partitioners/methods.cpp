#include "partitioners/methods.hpp"

#include "core/error.hpp"
#include "partitioners/baselines.hpp"

namespace hpart
{

namespace
{

Solution exact(const Question &question, Control &control, Work &work)
{
    switch (question.objective) {
    case Objective::time: return least_time(question, control, work);
    case Objective::energy: return least_energy(question, control, work);
    case Objective::total_energy: break;
    }
    return least_total_energy(question, control, work);
}

void check_is_exact(const std::string &name, const char *call)
{
    if (name != "exact") fail_argument("method is ", in_quotes(name), "; ", call, " has the method exact");
}

} // namespace

const std::vector<Method> &methods()
{
    static const std::vector<Method> all = {
        {"exact", exact},       // the optimum of the objective
        {"equal", equal},       // the same share for all
        {"cpm", cpm},           // shares in proportion to a constant speed
        {"fpm", fpm},           // shares of equal time by geometric bisection of the speed functions
        {"balanced", balanced}, // least spread of the active processors' times
    };
    return all;
}

const Method &find_method(const std::string &name)
{
    std::string valid;
    for (const auto &method : methods()) {
        if (method.name == name) return method;
        valid += text(valid.empty() ? "" : ", ", method.name);
    }
    fail_argument("method is ", in_quotes(name), "; partition has the methods ", valid);
}

void check_front_method(const std::string &name) { check_is_exact(name, "a front"); }
void check_schedule_method(const std::string &name) { check_is_exact(name, "a schedule"); }

} // namespace hpart
