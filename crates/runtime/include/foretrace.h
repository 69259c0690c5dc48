/* Events of your own in a recording.
 *
 *     #include <foretrace.h>
 *     foretrace_event("served", request->id);
 *
 * The event is recorded, in order with the synchronisation of its thread, when the program runs under `foretrace
 * record` or `check`, and costs a test of a pointer when it does not. Properties refer to it by its name. The name is
 * a string that stays where it is, such as a literal.
 */
#ifndef FORETRACE_H
#define FORETRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Part of the recording runtime; absent from a program that was built without it. */
extern void __foretrace_event(const char *name, uint64_t value) __attribute__((weak));

static inline void foretrace_event(const char *name, uint64_t value)
{
    if (__foretrace_event)
        __foretrace_event(name, value);
}

#ifdef __cplusplus
}
#endif

#endif
