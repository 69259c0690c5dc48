#include "../../program.h"
#include <fcntl.h>
#include <mqueue.h>
static mqd_t queue;
static int data;
NOBODY_CARES(a) {
    data = 1;
    mq_send(queue, "x", 1, 0);
    return unused;
}
NOBODY_CARES(b) {
    char text[8];
    if (mq_receive(queue, text, sizeof text, NULL) == 1)
        data++;
    return unused;
}
int main(void) {
    char name[40];
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/corpus-%d", (int)getpid());
    queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attr);
    if (queue == (mqd_t)-1)
        return 0;
    mq_unlink(name);
    run2(a, b);
    return 0;
}
