// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data to
// Datagrams share one channel; messages of several parts are accesses of each.
// t0: start; fork t1; acquire h; write copy[0..4]; write copy[8..9]; join t1; exit 0
// t1: start; read data[0..2]; read data[4..7]; read to; release h; release h; end
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
char data[16], copy[16];
struct sockaddr_in to;
static void *work(void *arg) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct iovec parts[2] = {{data, 2}, {data + 4, 3}};
    struct msghdr message = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = parts, .msg_iovlen = 2};
    if (sendmsg(fd, &message, 0) != 5) _exit(1);
    close(fd);
    return arg;
}
int main(void) {
    pthread_t thread;
    socklen_t size = sizeof to;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr *)&any, sizeof any) || getsockname(fd, (struct sockaddr *)&to, &size)) _exit(1);
    pthread_create(&thread, 0, work, 0);
    struct iovec places[2] = {{copy, 4}, {copy + 8, 8}};
    struct msghdr message = {.msg_iov = places, .msg_iovlen = 2};
    if (recvmsg(fd, &message, 0) != 5) _exit(1);
    pthread_join(thread, 0);
    return 0;
}
