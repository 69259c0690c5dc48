// A payment reads and writes the balance in one critical section.
#include <foretrace.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

static void *pay(void *unused) {
    foretrace_enter("pay");
    pthread_mutex_lock(&m);
    balance = balance + 10;
    pthread_mutex_unlock(&m);
    foretrace_exit("pay");
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, pay, 0);
    pthread_create(&other, 0, pay, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
