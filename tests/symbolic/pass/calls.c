// One critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct stock {
    int items;
    int price;
} stock = {5, 10};

static struct stock look(void) {
    pthread_mutex_lock(&lock);
    struct stock copy = {stock.items, stock.price};
    pthread_mutex_unlock(&lock);
    return copy;
}

static int worth(const struct stock *of) { return of->items * of->price; }

static void *audit(void *unused) {
    struct stock copy = look();
    assert(worth(&copy) == 50);
    return unused;
}

static void *split(void *unused) {
    pthread_mutex_lock(&lock);
    stock.items *= 2;
    stock.price /= 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, audit, NULL);
    pthread_create(&thread[1], NULL, split, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
