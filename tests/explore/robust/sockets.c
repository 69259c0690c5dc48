// A server and two clients in one process talk over loopback: each client sends a number and gets it back plus one.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct sockaddr_in address;
int listening;

static void *client(void *number) {
    int sent = (int)(long)number, got = 0;
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(connection, (struct sockaddr *)&address, sizeof address) == 0);
    assert(write(connection, &sent, sizeof sent) == sizeof sent);
    assert(read(connection, &got, sizeof got) == sizeof got);
    assert(got == sent + 1);
    close(connection);
    return 0;
}

static void *serve(void *none) {
    for (int i = 0; i < 2; i++) {
        int number, connection = accept(listening, 0, 0);
        assert(read(connection, &number, sizeof number) == sizeof number);
        number++;
        assert(write(connection, &number, sizeof number) == sizeof number);
        close(connection);
    }
    return none;
}

static void *all(void *none) {
    socklen_t length = sizeof address;
    listening = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(listening, (struct sockaddr *)&address, sizeof address) == 0);
    assert(getsockname(listening, (struct sockaddr *)&address, &length) == 0);
    assert(listen(listening, 8) == 0);
    pthread_t threads[3];
    pthread_create(&threads[0], 0, serve, 0);
    pthread_create(&threads[1], 0, client, (void *)1);
    pthread_create(&threads[2], 0, client, (void *)2);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    close(listening);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, all, 0);
    pthread_join(thread, 0);
    return 0;
}
