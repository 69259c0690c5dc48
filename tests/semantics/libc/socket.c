// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data
// Both ends of a connection are one channel, and connecting comes before accepting. A socket in the file system changes its directory.
// t0: start; fork t1; acquire h; acquire h2; read copy[0..4]; write copy[0..4]; release h2; join t1; release h2
// t0: release u; release f; acquire u; fork t2; acquire h3; acquire h4; read copy[0..4]; write copy[0..4]; release h4; join t2
// t0: release h4; exit 0
// t1: start; release h; read data[0..4]; release h2; acquire h2; write data[0..4]; release h2; end
// t2: start; release h3; read data[0..4]; release h4; acquire h4; write data[0..4]; release h4; end
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
char data[8], copy[8];
static void check(int result) {
    if (result < 0) _exit(1);
}
struct address {
    struct sockaddr *at;
    socklen_t size;
};
static void *client(void *arg) {
    struct address *to = arg;
    int fd = socket(to->at->sa_family, SOCK_STREAM, 0);
    check(connect(fd, to->at, to->size));
    check(send(fd, data, 4, 0));
    check(recv(fd, data, 8, 0));
    close(fd);
    return 0;
}
static void serve(struct sockaddr *address, socklen_t size) {
    pthread_t thread;
    int listener = socket(address->sa_family, SOCK_STREAM, 0);
    check(bind(listener, address, size));
    check(listen(listener, 1));
    struct sockaddr_storage bound;
    struct address to = {(struct sockaddr *)&bound, sizeof bound};
    check(getsockname(listener, to.at, &to.size));
    pthread_create(&thread, 0, client, &to);
    int fd = accept(listener, 0, 0);
    check(read(fd, copy, 8));
    check(write(fd, copy, 4));
    pthread_join(thread, 0);
    close(fd), close(listener);
}
int main(int count, char **arguments) {
    if (count < 2 || chdir(arguments[1])) _exit(1);
    struct sockaddr_in internet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "socket"};
    serve((struct sockaddr *)&internet, sizeof internet);
    unlink("socket");
    serve((struct sockaddr *)&local, sizeof local);
    return 0;
}
