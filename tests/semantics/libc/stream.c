// ways: gcc clang tsan
// flags: -fno-builtin
// show: block line
// Streams over a pipe: order and buffers.
// t0: start; fork t1; acquire h; write line[0..9]; acquire h; write block[4..8]; join t1; release h; exit 0
// t1: start; release h; read block[0..4]; release h; release h; release h; end
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
char line[32], block[8];
static void *work(void *fd) {
    FILE *out = fdopen((int)(long)fd, "w");
    fprintf(out, "%d lines\n", 2);
    fwrite(block, 1, 4, out);
    fflush(out);
    fclose(out);
    return 0;
}
int main(void) {
    int ends[2];
    pthread_t thread;
    if (pipe(ends)) _exit(1);
    pthread_create(&thread, 0, work, (void *)(long)ends[1]);
    FILE *in = fdopen(ends[0], "r");
    if (!fgets(line, sizeof line, in) || fread(block + 4, 1, 4, in) != 4) _exit(1);
    pthread_join(thread, 0);
    fclose(in);
    return 0;
}
