// The thesis's Figure 6.5: the file may be written before it is open.
// fails: opened
#include "file.h"

static void *worker(void *arg) {
    write_file(7);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    open_file(7);
    pthread_join(thread, 0);
    close_file(7);
    return 0;
}
