// The worker sends beside the main thread.
// fails: uplink, acknowledged
#include "uplink.h"

static int connection;

static void send_data(int data) {
    write_buffer(connection, data);
    commit_buffer(connection);
    acknowledge();
}

static void *worker(void *arg) {
    send_data(2);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t thread;
    connection = open_connection("orbiter");
    header = "rover";
    commit_buffer(connection);
    acknowledge();
    pthread_create(&thread, 0, worker, 0);
    send_data(1);
    pthread_join(thread, 0);
    if (argc > 1 && argv[1][0] == 'c')
        cancel_transmission(connection);
    close_connection(connection);
    return 0;
}
