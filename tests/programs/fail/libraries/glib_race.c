// The flag is set after the lock has been given back.
// needs: glib-2.0
#include <glib.h>

static GMutex mutex;
static int counted, seen;

static gpointer work(gpointer unused) {
    g_mutex_lock(&mutex);
    counted++;
    g_mutex_unlock(&mutex);
    seen = 1; // expect: race with line 22
    return unused;
}

int main(void) {
    GThread *thread = g_thread_new("work", work, NULL);
    g_usleep(1000);
    g_mutex_lock(&mutex);
    int now = counted;
    g_mutex_unlock(&mutex);
    int result = seen + now;
    g_thread_join(thread);
    return result > 2;
}
