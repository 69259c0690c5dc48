// flags: --atomic withdraw
// A withdrawal that others have come before begins anew.
#include <pthread.h>
#include <stdatomic.h>

atomic_int balance = 100;

static void withdraw(int amount) {
    atomic_fetch_sub(&balance, amount);
}

static void *work(void *unused) {
    withdraw(30);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
