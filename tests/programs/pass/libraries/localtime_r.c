#include "../../program.h"
// Each has memory of its own for the result; what is written to standard memory is done under a lock.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char last[64];
NOBODY_CARES(work) {
    time_t now = 0;
    struct tm own;
    char text[64], *rest = NULL;
    localtime_r(&now, &own);
    strerror_r(ENOENT, text, sizeof text);
    char words[] = "one two";
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) let_others_run();
    pthread_mutex_lock(&mutex);
    struct tm *shared = localtime(&now);
    strftime(last, sizeof last, "%H:%M", shared);
    char more[] = "three four";
    for (char *word = strtok(more, " "); word; word = strtok(NULL, " ")) strcpy(last, word);
    pthread_mutex_unlock(&mutex);
    return getenv("HOME") == text ? unused : NULL;
}
int main(void) { setenv("EXAMPLE", "1", 1); run2(work, work); return last[0] != 'f'; }
