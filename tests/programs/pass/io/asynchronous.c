#include "../../program.h"
// A thread of libc fills the buffer; who has seen the end of the operation may read it.
#include <aio.h>
static char buffer[64];
static struct aiocb operation;
static int ends[2];
NOBODY_CARES(feeds) {
    return write(ends[1], "data", 4) == 4 ? unused : NULL;
}
NOBODY_CARES(reads) {
    const struct aiocb *all[] = {&operation};
    while (aio_error(&operation) == EINPROGRESS)
        aio_suspend(all, 1, NULL);
    if (aio_return(&operation) != 4 || buffer[0] != 'd')
        abort();
    return unused;
}
int main(void) {
    if (pipe(ends))
        return 1;
    operation.aio_fildes = ends[0];
    operation.aio_buf = buffer;
    operation.aio_nbytes = sizeof buffer;
    if (aio_read(&operation))
        return 1;
    run2(feeds, reads);
    return 0;
}
