// flags: -D_GNU_SOURCE
// Who gets the lock of a file sees what was done before it was given up, whichever way it is locked.
// t0: start; fork t1; join t1; acquire h; release h; exit 0
// t1: start; acquire h; release h; acquire h; release h; acquire h; release h; acquire h; release h; end
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int file;

static void *work(void *arg) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    flock(file, LOCK_EX);
    flock(file, LOCK_UN);
    lockf(file, F_LOCK, 0);
    lockf(file, F_ULOCK, 0);
    lockf(file, F_TEST, 0);
    fcntl(file, F_SETLKW, &lock);
    lock.l_type = F_UNLCK;
    fcntl(file, F_SETLK, &lock);
    lock.l_type = F_RDLCK;
    fcntl(file, F_OFD_SETLKW, &lock);
    lock.l_type = F_UNLCK;
    fcntl(file, F_OFD_SETLKW, &lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    file = fileno(tmpfile());
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    flock(file, LOCK_EX | LOCK_NB);
    close(file);
    return 0;
}
