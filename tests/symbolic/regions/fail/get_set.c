// A payment reads and writes the balance in two critical sections.
#include <foretrace.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

static int get(void) {
    pthread_mutex_lock(&m);
    int value = balance; // expect: atomicity-violation
    pthread_mutex_unlock(&m);
    return value;
}

static void set(int value) {
    pthread_mutex_lock(&m);
    balance = value;
    pthread_mutex_unlock(&m);
}

static void *pay(void *unused) {
    foretrace_enter("pay");
    set(get() + 10);
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
