/* Small random matrices of the four types in either layout. */
#ifndef MATRICES_H
#define MATRICES_H

#include "numbers.h"

#include <stdarg.h>

/* A matrix with gaps between its lines, and its copy before it was overwritten. */
struct matrix {
    char type;
    int32_t layout;
    int64_t rows, columns, ld;
    void *data, *before;
};

static inline int64_t count_of(const struct matrix *a)
{
    return a->ld * (a->layout == HPART_ROW_MAJOR ? a->rows : a->columns);
}

static inline struct matrix random_matrix(char type, int32_t layout, int64_t rows, int64_t columns)
{
    struct matrix a = {type, layout, rows, columns, (layout == HPART_ROW_MAJOR ? columns : rows) + 2, NULL, NULL};
    a.data = random_array(type, count_of(&a));
    a.before = copy_of(type, a.data, count_of(&a));
    return a;
}

static inline void keep_before(struct matrix *a)
{
    memcpy(a->before, a->data, (size_t)count_of(a) * bytes_of(a->type));
}

static inline void free_matrices(int count, ...)
{
    va_list all;
    va_start(all, count);
    for (int k = 0; k < count; ++k) {
        const struct matrix *a = va_arg(all, struct matrix *);
        free(a->data);
        free(a->before);
    }
    va_end(all);
}

static inline int64_t place_of(const struct matrix *a, int64_t i, int64_t j)
{
    return a->layout == HPART_ROW_MAJOR ? i * a->ld + j : j * a->ld + i;
}
static inline number now(const struct matrix *a, int64_t i, int64_t j)
{
    return get(a->type, a->data, place_of(a, i, j));
}
static inline number then(const struct matrix *a, int64_t i, int64_t j)
{
    return get(a->type, a->before, place_of(a, i, j));
}
static inline void put(struct matrix *a, int64_t i, int64_t j, number value)
{
    set(a->type, a->data, place_of(a, i, j), value);
}

/* Element (i, j) of op(A) */
static inline number op(const struct matrix *a, int32_t trans, int64_t i, int64_t j)
{
    if (trans == HPART_NO_TRANSPOSE) return now(a, i, j);
    return trans == HPART_CONJUGATE_TRANSPOSE ? conj(now(a, j, i)) : now(a, j, i);
}

static inline int gaps_are_untouched(const struct matrix *a)
{
    const int64_t length = a->layout == HPART_ROW_MAJOR ? a->columns : a->rows;
    for (int64_t k = 0; k < count_of(a); ++k)
        if (k % a->ld >= length && get(a->type, a->data, k) != get(a->type, a->before, k)) return 0;
    return 1;
}

#endif
