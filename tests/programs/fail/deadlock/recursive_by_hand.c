#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mainMutex = PTHREAD_MUTEX_INITIALIZER, auxMutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t mutexOwner;
static int mutexOwnerValid, inMutex, counter;
static void EnterMutex(void) {
    pthread_mutex_lock(&auxMutex);
    if (!mutexOwnerValid || !pthread_equal(mutexOwner, pthread_self())) {
        pthread_mutex_unlock(&auxMutex);
        pthread_mutex_lock(&mainMutex);
        pthread_mutex_lock(&auxMutex); // expect: deadlock
        mutexOwner = pthread_self();
        mutexOwnerValid = 1;
    }
    pthread_mutex_unlock(&auxMutex);
    inMutex++;
}
static void LeaveMutex(void) {
    inMutex--;
    pthread_mutex_lock(&auxMutex);
    if (inMutex == 0) {
        mutexOwnerValid = 0;
        /* the bug: the main mutex is taken again while aux is held */
        pthread_mutex_unlock(&mainMutex);
        pthread_mutex_lock(&mainMutex);
        pthread_mutex_unlock(&mainMutex);
    }
    pthread_mutex_unlock(&auxMutex);
}
static void *work(void *p) {
    usleep((long)p * 20000);
    EnterMutex();
    EnterMutex();
    counter++;
    LeaveMutex();
    LeaveMutex();
    return NULL;
}
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return counter != 2;
}
