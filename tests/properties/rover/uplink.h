// The thesis's Figure 6.11: the uplink of a rover.
#include <pthread.h>

static char *header;

static int open_connection(const char *name) { return name[0]; }
static void close_connection(int connection) { (void)connection; }
static void cancel_transmission(int connection) { (void)connection; }
static void write_buffer(int connection, int data) { (void)connection, (void)data; }
static void commit_buffer(int connection) { (void)connection; }
static void acknowledge(void) {}
