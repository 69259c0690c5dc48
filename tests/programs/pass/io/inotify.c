#include "../../program.h"
#include <fcntl.h>
#include <sys/inotify.h>
// The kernel reports that a file has been made: whoever reads that comes after the thread that made it.
static int data;
static char directory[] = "/tmp/foretrace-XXXXXX", path[64];
NOBODY_CARES(makes) {
    let_others_run();
    data = 1;
    close(open(path, O_CREAT | O_WRONLY, 0600));
    return unused;
}
int main(void) {
    if (!mkdtemp(directory))
        return 1;
    snprintf(path, sizeof path, "%s/file", directory);
    int changes = inotify_init();
    inotify_add_watch(changes, directory, IN_CREATE);
    pthread_t thread;
    pthread_create(&thread, NULL, makes, NULL);
    char report[4096];
    int got = read(changes, report, sizeof report) > 0 ? data : 0;
    pthread_join(thread, NULL);
    unlink(path);
    rmdir(directory);
    return got != 1;
}
