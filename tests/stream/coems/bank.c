#include <pthread.h>
#include <stdlib.h>
struct account { int id; long balance; };
struct account accts[2];
pthread_mutex_t locks[2];
int transfers;
void deposit(int which, long amount) {
    pthread_mutex_lock(&locks[which]);
    accts[which].balance += amount;
    pthread_mutex_unlock(&locks[which]);
}
void *teller(void *arg) {
    for (int i = 0; i < 5; i++) deposit(0, 10);
    return arg;
}
void *thief(void *arg) {
    long seen = accts[0].balance;
    seen -= 5;
    accts[0].balance =
        seen;
    return arg;
}
int main(void) {
    pthread_t p;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&locks[i], 0);
        accts[i].id = i;
        accts[i].balance = 100;
    }
    pthread_create(&p, 0, teller, 0);
    pthread_join(p, 0);
#ifdef RACY
    pthread_create(&p, 0, thief, 0);
    pthread_join(p, 0);
#endif
    pthread_create(&p, 0, teller, 0);
    pthread_join(p, 0);
    return 0;
}
