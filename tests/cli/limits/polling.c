// Polls in the way that the first argument names until a second has passed.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
static atomic_int stop, ready, taken = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;
static int data;
static void *loads(void *unused) {
    while (!atomic_load(&stop) && !atomic_load(&ready)) { }
    return unused;
}
static void *yields(void *unused) {
    while (!atomic_load(&stop) && !atomic_load(&ready)) {
        rounds++;
        sched_yield();
    }
    return unused;
}
static void *sleeps(void *unused) {
    while (!atomic_load(&stop) && !atomic_load(&ready)) usleep(1);
    return unused;
}
static void *exchanges(void *unused) {
    while (atomic_exchange(&taken, 1)) { }
    data++;
    atomic_store(&taken, 0);
    return unused;
}
static void *tries(void *unused) {
    while (pthread_mutex_trylock(&lock)) { }
    data++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "loads";
    void *(*poll)(void *) = !strcmp(way, "yields") ? yields : !strcmp(way, "sleeps") ? sleeps
        : !strcmp(way, "exchanges") ? exchanges : !strcmp(way, "tries") ? tries : loads;
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, poll, NULL);
    sleep(1);
    data++;
    atomic_store(&ready, 1);
    atomic_store(&taken, 0);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
