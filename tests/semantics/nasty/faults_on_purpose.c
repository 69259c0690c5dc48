// A handler gives pages their rights when they are first touched, as garbage collectors do.
#include "nasty.h"

static char *pages;
static volatile int faults;

static void fault(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)4095);
    if (page < pages || page >= pages + 64 * 4096)
        _exit(98);
    faults++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *touch(void *arg) {
    for (int i = 0; i < 64; i++)
        pages[i * 4096 + 7]++;
    return arg;
}

int main(void) {
    events();
    struct sigaction action = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, 0);
    pages = mmap(0, 64 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(pages != MAP_FAILED);
    pthread_join(start(touch, 0), 0);
    MUST(faults == 64 && pages[7] == 1);
    memset(pages, 3, 64 * 4096);
    MUST(mprotect(pages, 64 * 4096, PROT_NONE) == 0);
    MUST(strlen(memcpy(malloc(64), "text", 5)) == 4);
    say("sixty-four faults");
}
