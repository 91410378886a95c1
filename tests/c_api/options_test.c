#include "check.h"

static int freed = 0;

static int quiet(double fraction, const char *what, void *user)
{
    (void)fraction;
    (void)what;
    (void)user;
    return 0;
}

static void count_free(void *user) { freed += *(int *)user; }

static void setters(void)
{
    hpart_options *options = new_options();
    CHECK_OK(hpart_options_set_string(options, "method", "exact"));
    CHECK_OK(hpart_options_set_string(options, "time_limit", "0.5"));
    CHECK_OK(hpart_options_set_int(options, "threads", 2));
    CHECK_OK(hpart_options_set_int(options, "time_limit", 5));
    CHECK_OK(hpart_options_set_double(options, "time_limit", 1e-3));
    CHECK_REFUSED(hpart_options_set_string(options, "methode", "exact"),
                  "'methode' is unknown; did you mean 'method'?");
    CHECK_REFUSED(hpart_options_set_string(options, "colour", "red"),
                  "'colour' is unknown; options are method, threads, ");
    CHECK(strstr(hpart_last_error(), ", move_horizon") != NULL); /* to the last */
    CHECK_REFUSED(hpart_options_set_string(options, "ties", "some"), "deterministic|fewest");
    CHECK_REFUSED(hpart_options_set_string(options, "threads", "2.5"), "'2.5'");
    CHECK_REFUSED(hpart_options_set_int(options, "method", 1), "text");
    CHECK_REFUSED(hpart_options_set_double(options, "threads", 1.0), "integer");
    CHECK_REFUSED(hpart_options_set_double(options, "time_limit", nan("")), "NaN");
    CHECK_REFUSED(hpart_options_set_double(options, "time_limit", -1.0), "-1");
    CHECK_REFUSED(hpart_options_set_int(options, "memory_limit", -1), "-1");
    CHECK_REFUSED(hpart_options_set_string(NULL, "method", "exact"), "options is NULL");
    CHECK_REFUSED(hpart_options_set_string(options, NULL, "exact"), "key is NULL");
    CHECK_REFUSED(hpart_options_set_string(options, "method", NULL), "value is NULL");
    CHECK_REFUSED(hpart_options_set_int(options, NULL, 1), "key is NULL");
    CHECK_REFUSED(hpart_options_set_int(NULL, "threads", 1), "options is NULL");
    CHECK_REFUSED(hpart_options_set_double(NULL, "time_limit", 1), "options is NULL");
    CHECK_REFUSED(hpart_options_create(NULL), "options is NULL");
    hpart_options_destroy(options);
}

static void progress_ownership(void)
{
    hpart_options *options = new_options();
    int one = 1, ten = 10;
    CHECK_OK(hpart_options_set_progress(options, quiet, &one, count_free));
    CHECK(freed == 0);
    CHECK_OK(hpart_options_set_progress(options, quiet, &ten, count_free));
    CHECK(freed == 1);
    CHECK_OK(hpart_options_set_progress(options, NULL, NULL, NULL));
    CHECK(freed == 11);
    CHECK_OK(hpart_options_set_progress(options, quiet, NULL, NULL));
    CHECK_OK(hpart_options_set_progress(options, quiet, &one, count_free));
    CHECK_REFUSED(hpart_options_set_progress(NULL, quiet, &ten, count_free), "options is NULL");
    CHECK(freed == 11);
    hpart_options_destroy(options);
    CHECK(freed == 12);
}

int main(void)
{
    setters();
    progress_ownership();
    return check_result();
}
