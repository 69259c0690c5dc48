// flags: --atomic withdraw
// Two withdrawals look at the balance before each takes from it; each access is atomic.
#include <pthread.h>
#include <stdatomic.h>

atomic_int balance = 100;

static void withdraw(int amount) {
    int seen = atomic_load(&balance); // expect: atomicity-violation
    if (seen >= amount)
        atomic_store(&balance, seen - amount);
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
