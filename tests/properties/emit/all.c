// Events at every kind of join-point: what is emitted is the same at every level of optimisation.
#include <foretrace.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    int fd;
    const char *name;
    struct { int flags; } mode;
};
static int counter;
static struct { int low, high; } range;

static int add(int a, int b) { return a + b; }
static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = 0;
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}
static unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
static void use(const struct file *file) { (void)file; }
static int last(int x) { return add(x, 1); }
static int maybe(int x) { return x % 2; }

static void *work(void *arg) {
    struct file file = {5, "a b\nc", {9}};
    use(&file);
    counter = 3;
    range.high = add(counter, 4);
    factorial(3);
    sum(3, 1, 2, 3);
    last(7);
    for (int i = 0; i < 4; i++)
        maybe(i);
    char *copy = strdup("text");
    free(copy);
    foretrace_emit("done", range.high, -1);
    foretrace_text("said", "hello");
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
