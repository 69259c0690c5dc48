#include <pthread.h>
#include <signal.h>
static int config, reloads;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *sigthread(void *p) {
    sigset_t *s = p;
    for (;;) {
        int sig;
        sigwait(s, &sig);
        if (sig == SIGTERM)
            return NULL;
        pthread_mutex_lock(&m);
        config++;
        reloads++;
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGHUP);
    sigaddset(&s, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    pthread_t t;
    pthread_create(&t, NULL, sigthread, &s);
    pthread_kill(t, SIGHUP);
    pthread_mutex_lock(&m);
    config += 2;
    pthread_mutex_unlock(&m);
    pthread_kill(t, SIGTERM);
    pthread_join(t, NULL);
    return config < 2;
}
