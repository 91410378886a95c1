#include "c_api/callback.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// The user's callback and the pointer it owns.
struct UserProgress {
    Callback call{};
    hpart_progress callback;
    void *user;
    hpart_free free_user;

    UserProgress(hpart_progress c, void *u, hpart_free f) : callback(c), user(u), free_user(f) {}
    UserProgress(const UserProgress &) = delete;
    UserProgress &operator=(const UserProgress &) = delete;
    ~UserProgress() { free_quietly(free_user, user); }

    int operator()(double fraction, const char *what) const
    {
        return call("the progress callback", [&] { return callback(fraction, what, user); });
    }
};

} // namespace

extern "C" {

hpart_status hpart_options_create(hpart_options **options)
{
    return guarded([&] {
        require(options, "options");
        *options = new hpart_options{};
    });
}

void hpart_options_destroy(hpart_options *options) { delete options; }

hpart_status hpart_options_set_string(hpart_options *options, const char *key, const char *value)
{
    return guarded([&] {
        require(options, "options");
        require(key, "key");
        require(value, "value");
        options->value.set_text(key, value);
    });
}

hpart_status hpart_options_set_int(hpart_options *options, const char *key, int64_t value)
{
    return guarded([&] {
        require(options, "options");
        require(key, "key");
        options->value.set_int(key, value);
    });
}

hpart_status hpart_options_set_double(hpart_options *options, const char *key, double value)
{
    return guarded([&] {
        require(options, "options");
        require(key, "key");
        options->value.set_double(key, value);
    });
}

hpart_status hpart_options_set_previous(hpart_options *options, int64_t processors, const int64_t *x)
{
    return guarded([&] {
        require(options, "options");
        const auto sizes = array(x, processors, "x");
        options->value.set_previous({sizes.begin(), sizes.end()});
    });
}

hpart_status hpart_options_set_progress(hpart_options *options, hpart_progress progress, void *user,
                                        hpart_free free_user)
{
    return guarded([&] {
        require(options, "options");
        if (progress == nullptr) {
            options->value.set_progress(nullptr);
            free_quietly(free_user, user);
            return;
        }
        // On failure the caller still owns user: free_user is armed only when nothing can fail any more.
        auto owner = std::make_shared<UserProgress>(progress, user, nullptr);
        auto callback = std::make_shared<const ProgressCallback>(
            [owner](double fraction, const char *what) { return (*owner)(fraction, what); });
        owner->free_user = free_user;
        options->value.set_progress(std::move(callback));
    });
}

} // extern "C"
