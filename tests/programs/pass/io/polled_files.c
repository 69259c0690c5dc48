#include "../../program.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
// A file says that data is ready: its length, or that it is in its directory at all. Whoever polls for that comes after the
// thread that wrote the file, or made it.
static char directory[] = "/tmp/foretrace-XXXXXX", made[64], written[64];
static int ready[2], file;
NOBODY_CARES(works) {
    let_others_run();
    ready[0] = 1;
    if (write(file, "x", 1) != 1)
        abort();
    let_others_run();
    ready[1] = 1;
    close(open(made, O_CREAT | O_WRONLY, 0600));
    return unused;
}
static int is_made(void) {
    DIR *list = opendir(directory);
    int found = 0;
    for (struct dirent *entry; (entry = readdir(list));)
        found |= strcmp(entry->d_name, "made") == 0;
    closedir(list);
    return found;
}
int main(void) {
    if (!mkdtemp(directory))
        return 1;
    snprintf(made, sizeof made, "%s/made", directory);
    snprintf(written, sizeof written, "%s/written", directory);
    file = open(written, O_CREAT | O_RDWR, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, works, NULL);
    for (struct stat found = {0}; found.st_size == 0; usleep(1000))
        stat(written, &found);
    int sum = ready[0];
    while (!is_made())
        usleep(1000);
    sum += ready[1];
    pthread_join(thread, NULL);
    unlink(made);
    unlink(written);
    rmdir(directory);
    return sum != 2;
}
