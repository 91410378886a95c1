#include "kernels.hpp"

namespace hpart_languages
{

Options::Options(Argument argument)
{
    const Value value = read(argument, "options");
    if (is_absent(value)) return;
    if (const auto *found = std::get_if<Handle>(&value); found != nullptr && found->state->kind == "options") {
        object_ = hpart_languages::state(argument, "options", "options")->object;
        options_ = static_cast<hpart_options *>(object_.get());
        is_borrowed_ = true;
        return;
    }
    create();
    Record record;
    if (const auto *found = std::get_if<Record>(&value); found != nullptr && !is_list(*found))
        record = *found;
    else if (const auto *list = std::get_if<std::string>(&value); list != nullptr && language.split != nullptr) {
        const std::vector<std::string> words = language.split(*list);
        if (words.size() % 2 != 0) wrong("options", value, "a record of keys and values");
        for (size_t i = 0; i < words.size(); i += 2) record.push_back({words[i], words[i + 1]});
    } else
        wrong("options", value, "a record of keys and values");
    for (const Entry &entry : record) set(entry.name, entry.value);
}

void Options::create()
{
    check(hpart_options_create(&options_));
    object_ =
        std::shared_ptr<void>(options_, [](void *old) { hpart_options_destroy(static_cast<hpart_options *>(old)); });
}

void Options::set(const std::string &key, const Value &value)
{
    const std::string name = "option " + key;
    if (key == "previous") {
        const Integers x = integers_of(value, name.c_str());
        check(hpart_options_set_previous(options_, static_cast<int64_t>(x.size()), x.data()));
    } else if (const auto *function = std::get_if<Function>(&value); function != nullptr && key == "progress") {
        progress()->function = *function;
    } else if (key == "progress") {
        wrong("option progress", value, "a function");
    } else if (const auto *word = std::get_if<std::string>(&value)) {
        given_[key] = *word;
        check(hpart_options_set_string(options_, key.c_str(), word->c_str()));
    } else if (const auto *flag = std::get_if<bool>(&value)) {
        set(key.c_str(), *flag ? 1 : 0);
    } else {
        const double real = number_of(value, name.c_str());
        const bool is_whole = std::holds_alternative<int64_t>(value) || std::holds_alternative<Integers>(value) ||
                              (real == std::floor(real) && std::fabs(real) <= LARGEST);
        if (is_whole)
            set(key.c_str(), integer_of(value, name.c_str()));
        else
            check(hpart_options_set_double(options_, key.c_str(), real));
    }
}

void Options::set(const char *key, int64_t value)
{
    if (options_ == nullptr) create();
    if (is_borrowed_) refuse(std::string("options are a handle; this call sets option ") + key + " and needs a record");
    given_[key] = std::to_string(value);
    check(hpart_options_set_int(options_, key, value));
}

bool Options::has(const char *key, const char *value) const
{
    const auto found = given_.find(key);
    return found != given_.end() && found->second == value;
}

// The options own a share, because a call may keep them.
Progress *Options::progress()
{
    if (progress_) return progress_.get();
    if (options_ == nullptr) create();
    progress_ = std::make_shared<Progress>();
    auto share = std::make_unique<std::shared_ptr<Progress>>(progress_);
    const auto report = [](double fraction, const char *what, void *user) {
        return (*static_cast<std::shared_ptr<Progress> *>(user))->report(fraction, what);
    };
    check(hpart_options_set_progress(options_, report, share.get(),
                                     [](void *user) { delete static_cast<std::shared_ptr<Progress> *>(user); }));
    share.release();
    return progress_.get();
}

void Options::watch(Server *server)
{
    if (!is_borrowed_ && (server != nullptr || language.poll != nullptr)) progress()->server = server;
}

void Options::rethrow() const
{
    if (progress_ && progress_->failure) std::rethrow_exception(progress_->failure);
}

int Progress::report(double fraction, const char *what)
{
    bool stops = false;
    const auto ask = [&] {
        if (!function) return language.poll();
        const Value answer = function->call({fraction, std::string(what)});
        const auto *flag = std::get_if<bool>(&answer);
        const bool is_nothing = std::holds_alternative<Nothing>(answer);
        stops = flag != nullptr ? *flag : !is_nothing && number_of(answer, "the result of progress") != 0;
    };
    if (server != nullptr) return function ? !server->ask(ask) || stops : server->has_failed();
    try {
        ask();
    } catch (...) {
        failure = std::current_exception();
        stops = true;
    }
    return stops;
}

} // namespace hpart_languages
