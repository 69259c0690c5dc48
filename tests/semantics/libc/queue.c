// ways: gcc clang tsan
// flags: -fno-builtin
// show: received sent
// Message queues of System V.
// t0: start; fork t1; acquire h; write received[0..14]; join t1; exit 0
// t1: start; read sent[0..14]; release h; end
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>
struct message {
    long kind;
    char text[8];
} sent = {1, "hello"}, received;
static void *work(void *queue) {
    if (msgsnd((int)(long)queue, &sent, 6, 0)) _exit(1);
    return 0;
}
int main(void) {
    pthread_t thread;
    int queue = msgget(IPC_PRIVATE, 0600);
    if (queue < 0) _exit(1);
    pthread_create(&thread, 0, work, (void *)(long)queue);
    if (msgrcv(queue, &received, 8, 0, 0) != 6) _exit(1);
    pthread_join(thread, 0);
    msgctl(queue, IPC_RMID, 0);
    return 0;
}
