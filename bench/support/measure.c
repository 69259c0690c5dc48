// measure FILE PROGRAM ARGS...: runs the program and writes its nanoseconds and its peak kilobytes to the file.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct timespec begin, end;
    struct rusage usage;
    int status;
    if (argc < 3) return 2;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 2;
    clock_gettime(CLOCK_MONOTONIC, &end);
    FILE *file = fopen(argv[1], "w");
    if (!file) return 2;
    long long ns = (end.tv_sec - begin.tv_sec) * 1000000000ll + (end.tv_nsec - begin.tv_nsec);
    fprintf(file, "%lld %ld\n", ns, usage.ru_maxrss);
    return fclose(file) != 0 || !WIFEXITED(status) ? 2 : WEXITSTATUS(status);
}
