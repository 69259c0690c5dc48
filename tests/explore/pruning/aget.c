// In the shape of aget: several threads download segments of a file from a server, here one of the program's own on the other
// end of a socket, and add what they got to a count under a lock.
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 2
#endif
#define PARTS 3
#define BYTES 16

pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
long written;

struct segment {
    int socket;
    long offset;
    char buffer[BYTES];
} segments[THREADS];

static void *download(void *argument) {
    struct segment *segment = argument;
    for (int part = 0; part < PARTS; part++) {
        long got = recv(segment->socket, segment->buffer, BYTES, 0);
        if (got <= 0)
            break;
        segment->offset += got;
        pthread_mutex_lock(&written_lock);
        written += got;
        pthread_mutex_unlock(&written_lock);
    }
    return 0;
}

// The server answers each connection with the whole file, and hands it to a thread.
static void *serve(void *none) {
    pthread_t threads[THREADS];
    char data[PARTS * BYTES] = "the contents of a file";
    for (int i = 0; i < THREADS; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], data, sizeof data, 0) != sizeof data)
            abort();
        segments[i].socket = ends[1];
        pthread_create(&threads[i], 0, download, &segments[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return none;
}

int main(void) {
    pthread_t server;
    pthread_create(&server, 0, serve, 0);
    pthread_join(server, 0);
    return written != THREADS * PARTS * BYTES;
}
