// The file is open before there is anybody else.
#include "file.h"

static void *worker(void *arg) {
    write_file(7);
    return arg;
}

int main(void) {
    pthread_t thread;
    open_file(7);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    close_file(7);
    return 0;
}
