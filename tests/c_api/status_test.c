#include "check.h"

static void texts(void)
{
    CHECK(strcmp(hpart_strerror(HPART_SUCCESS), "success") == 0);
    CHECK(strcmp(hpart_strerror(HPART_ERR_LIMIT), "time or memory limit reached") == 0);
    CHECK(hpart_strerror(12345) != NULL && hpart_strerror(-50) != NULL);
    CHECK(hpart_strerror(INT32_MIN) != NULL);
}

static void version(void)
{
    int32_t major = -1, minor = -1, patch = -1;
    hpart_version(&major, &minor, &patch);
    CHECK(major == HPART_VERSION_MAJOR && minor == HPART_VERSION_MINOR && patch == HPART_VERSION_PATCH);
    hpart_version(NULL, NULL, NULL);
}

static void last_error(void)
{
    hpart_platform *platform = NULL;
    hpart_options *options = NULL;
    char small[4] = "abc", text[256];
    int64_t needed = 0;
    CHECK(strcmp(hpart_last_error(), "") == 0 && strcmp(hpart_last_error_option(), "") == 0);
    CHECK_REFUSED(hpart_platform_create(0, &platform), "processors is 0");
    CHECK(platform == NULL);
    CHECK_OK(hpart_last_error_copy(NULL, 0, &needed));
    CHECK(needed == (int64_t)strlen(hpart_last_error()) + 1);
    CHECK_OK(hpart_last_error_copy(text, sizeof text, &needed));
    CHECK(strcmp(text, hpart_last_error()) == 0);
    /* A success leaves it as it was. */
    CHECK_OK(hpart_platform_create(1, &platform));
    CHECK(strcmp(text, hpart_last_error()) == 0);
    hpart_platform_destroy(platform);
    /* Too small a buffer is left alone, and tells how much is needed; so is the text, which is to be asked for again. */
    needed = 0;
    CHECK_REFUSED(hpart_last_error_copy(small, sizeof small, &needed), "processors is 0");
    CHECK(strcmp(small, "abc") == 0 && needed == (int64_t)strlen(text) + 1);
    CHECK_OK(hpart_last_error_copy(text, needed, NULL));
    CHECK_REFUSED(hpart_last_error_copy(small, 0, NULL), "processors is 0");
    CHECK_REFUSED(hpart_last_error_copy(NULL, 5, &needed), "NULL");
    CHECK_REFUSED(hpart_last_error_copy(NULL, 0, NULL), "NULL");
    CHECK_REFUSED(hpart_last_error_copy(small, -1, &needed), "-1");
    /* Not by its words: a file may have the name of an option. */
    CHECK_OK(hpart_options_create(&options));
    CHECK_REFUSED(hpart_options_set_double(options, "deadline", -1), "option 'deadline' is -1");
    CHECK(strcmp(hpart_last_error_option(), "deadline") == 0);
    CHECK_REFUSED(hpart_options_set_double(options, "ease", -1), "option 'ease' is unknown");
    CHECK(strcmp(hpart_last_error_option(), "") == 0);
    CHECK_REFUSED(hpart_options_set_double(options, NULL, -1), "key is NULL");
    CHECK(strcmp(hpart_last_error_option(), "key") == 0);
    CHECK_FAILS(hpart_platform_read("option 'deadline'", &platform), HPART_ERR_IO, "option 'deadline'");
    CHECK(strcmp(hpart_last_error_option(), "") == 0);
    hpart_options_destroy(options);
    /* Nothing in it commands a terminal. */
    CHECK_FAILS(hpart_platform_read("no\nsuch\x1b[2Jfile", &platform), HPART_ERR_IO, "such?[2Jfile");
}

int main(void)
{
    last_error();
    texts();
    version();
    return check_result();
}
