// A thread writes to a file through a stream.
#include <pthread.h>
#include <stdio.h>

static void *work(void *none) {
    FILE *file = fopen("output.txt", "w");
    if (file) {
        fprintf(file, "a line\n");
        fclose(file);
    }
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    remove("output.txt");
    return 0;
}
