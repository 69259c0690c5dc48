/* What a program says to Foretrace: events of its own, atomic regions, and the order that synchronisation of its own
 * makes.
 *
 *     #include <foretrace.h>
 *     foretrace_emit("served", request->id, request->size);
 *
 * `foretrace cc` finds this file; `foretrace include-dir` prints where it is. The functions do something only in a
 * program that was linked by `foretrace cc`, or that runs under Foretrace; otherwise each costs a test of a pointer.
 * Properties refer to events by their names (docs/properties.md). A name is a string that stays where it is, such as a
 * literal.
 */
#ifndef FORETRACE_H
#define FORETRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of the runtime; absent from a program without it. */
extern void __foretrace_emit(const char *name, uint32_t count, const uint64_t *values, uint32_t texts, int holds)
    __attribute__((weak));
extern void __foretrace_name_thread(const char *name) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock) __attribute__((weak));
extern void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock) __attribute__((weak));
extern void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long exclusive)
    __attribute__((weak));
extern void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long exclusive)
    __attribute__((weak));

/* An event with up to eight values, each an integer or a pointer: foretrace_emit("open", fd, mode). */
#define foretrace_emit(...)                                                                                          \
    FORETRACE_PICK(__VA_ARGS__, FORETRACE_8, FORETRACE_7, FORETRACE_6, FORETRACE_5, FORETRACE_4, FORETRACE_3,         \
                   FORETRACE_2, FORETRACE_1, FORETRACE_0, 0)                                                         \
    (__VA_ARGS__)
#define FORETRACE_PICK(n, a, b, c, d, e, f, g, h, which, ...) which
#define FORETRACE_N(x) ((uint64_t)(uintptr_t)(x))
#define FORETRACE_CALL(name, count, ...)                                                                             \
    do {                                                                                                             \
        if (__foretrace_emit) {                                                                                      \
            const uint64_t foretrace_values[] = {__VA_ARGS__};                                                       \
            __foretrace_emit(name, count, foretrace_values, 0, 1);                                                   \
        }                                                                                                            \
    } while (0)
#define FORETRACE_0(name) FORETRACE_CALL(name, 0, 0)
#define FORETRACE_1(name, a) FORETRACE_CALL(name, 1, FORETRACE_N(a))
#define FORETRACE_2(name, a, b) FORETRACE_CALL(name, 2, FORETRACE_N(a), FORETRACE_N(b))
#define FORETRACE_3(name, a, b, c) FORETRACE_CALL(name, 3, FORETRACE_N(a), FORETRACE_N(b), FORETRACE_N(c))
#define FORETRACE_4(name, a, b, c, d)                                                                                \
    FORETRACE_CALL(name, 4, FORETRACE_N(a), FORETRACE_N(b), FORETRACE_N(c), FORETRACE_N(d))
#define FORETRACE_5(name, a, b, c, d, e)                                                                             \
    FORETRACE_CALL(name, 5, FORETRACE_N(a), FORETRACE_N(b), FORETRACE_N(c), FORETRACE_N(d), FORETRACE_N(e))
#define FORETRACE_6(name, a, b, c, d, e, f)                                                                          \
    FORETRACE_CALL(name, 6, FORETRACE_N(a), FORETRACE_N(b), FORETRACE_N(c), FORETRACE_N(d), FORETRACE_N(e),          \
                   FORETRACE_N(f))
#define FORETRACE_7(name, a, b, c, d, e, f, g)                                                                       \
    FORETRACE_CALL(name, 7, FORETRACE_N(a), FORETRACE_N(b), FORETRACE_N(c), FORETRACE_N(d), FORETRACE_N(e),          \
                   FORETRACE_N(f), FORETRACE_N(g))
#define FORETRACE_8(name, a, b, c, d, e, f, g, h)                                                                    \
    FORETRACE_CALL(name, 8, FORETRACE_N(a), FORETRACE_N(b), FORETRACE_N(c), FORETRACE_N(d), FORETRACE_N(e),          \
                   FORETRACE_N(f), FORETRACE_N(g), FORETRACE_N(h))

/* An event with one number. */
static inline void foretrace_event(const char *name, uint64_t value)
{
    if (__foretrace_emit)
        __foretrace_emit(name, 1, &value, 0, 1);
}

/* An event with a text, of which the first 200 bytes are kept. */
static inline void foretrace_text(const char *name, const char *text)
{
    uint64_t value = (uint64_t)(uintptr_t)text;
    if (__foretrace_emit)
        __foretrace_emit(name, 1, &value, 1, 1);
}

/* A region that should be as if no other thread ran meanwhile: the events `enter` and `exit` with the region's name, and
 * `load` and `store` for the accesses to a variable of the program's own choice. The property `atomic-regions` of the
 * library is about them. */
static inline void foretrace_enter(const char *region)
{
    foretrace_text("enter", region);
}

static inline void foretrace_exit(const char *region)
{
    foretrace_text("exit", region);
}

static inline void foretrace_load(const volatile void *variable)
{
    foretrace_event("load", (uint64_t)(uintptr_t)variable);
}

static inline void foretrace_store(const volatile void *variable)
{
    foretrace_event("store", (uint64_t)(uintptr_t)variable);
}

/* Everything that this thread has done so far happens before what a thread does after foretrace_after(address). */
static inline void foretrace_before(const volatile void *address)
{
    if (__tsan_release)
        __tsan_release((void *)(uintptr_t)address);
}

static inline void foretrace_after(const volatile void *address)
{
    if (__tsan_acquire)
        __tsan_acquire((void *)(uintptr_t)address);
}

/* A lock of the program's own: its life, and who holds it. To be called after it was acquired, and before it is
 * released. */
static inline void foretrace_lock_created(const volatile void *lock)
{
    if (AnnotateRWLockCreate)
        AnnotateRWLockCreate(__FILE__, __LINE__, lock);
}

static inline void foretrace_lock_destroyed(const volatile void *lock)
{
    if (AnnotateRWLockDestroy)
        AnnotateRWLockDestroy(__FILE__, __LINE__, lock);
}

static inline void foretrace_locked(const volatile void *lock)
{
    if (AnnotateRWLockAcquired)
        AnnotateRWLockAcquired(__FILE__, __LINE__, lock, 1);
}

static inline void foretrace_unlocking(const volatile void *lock)
{
    if (AnnotateRWLockReleased)
        AnnotateRWLockReleased(__FILE__, __LINE__, lock, 1);
}

/* The name of the current thread in reports. */
static inline void foretrace_name_thread(const char *name)
{
    if (__foretrace_name_thread)
        __foretrace_name_thread(name);
}

#ifdef __cplusplus
}
#endif

#endif
