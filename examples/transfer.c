// A bank moves money between accounts. Each account has a lock, and a transfer takes both: first the one that pays,
// then the one that is paid. Two transfers in opposite directions can wait for each other for ever.
//
// The fix: take the locks in one order everywhere, such as that of the account numbers (compile with -DFIXED).
#include <pthread.h>
#include <stdio.h>

struct account {
    int number;
    long balance;
    pthread_mutex_t lock;
};

static struct account alice = {1, 100, PTHREAD_MUTEX_INITIALIZER};
static struct account bob = {2, 100, PTHREAD_MUTEX_INITIALIZER};

static void lock_both(struct account *a, struct account *b) {
#ifdef FIXED
    if (a->number > b->number) {
        struct account *swap = a;
        a = b;
        b = swap;
    }
#endif
    pthread_mutex_lock(&a->lock);
    pthread_mutex_lock(&b->lock);
}

static void transfer(struct account *from, struct account *to, long amount) {
    lock_both(from, to);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay_rent(void *unused) {
    transfer(&alice, &bob, 30);
    return unused;
}

static void *pay_wages(void *unused) {
    transfer(&bob, &alice, 50);
    return unused;
}

int main(void) {
    pthread_t rent, wages;
    pthread_create(&rent, NULL, pay_rent, NULL);
    pthread_create(&wages, NULL, pay_wages, NULL);
    pthread_join(rent, NULL);
    pthread_join(wages, NULL);
    printf("alice %ld, bob %ld\n", alice.balance, bob.balance);
    return 0;
}
