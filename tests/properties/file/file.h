// A file that several threads use: a number that nobody looks at, so that nothing but the order of the calls can be wrong.
#include <pthread.h>

static void open_file(int file) { (void)file; }
static void write_file(int file) { (void)file; }
static void close_file(int file) { (void)file; }
