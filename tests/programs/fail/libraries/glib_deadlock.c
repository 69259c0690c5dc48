// Two locks of GLib's, taken in both orders.
// needs: glib-2.0
#include <glib.h>

static GMutex one, two;

static gpointer work(gpointer unused) {
    g_mutex_lock(&two);
    g_mutex_lock(&one); // expect: deadlock with line 19
    g_mutex_unlock(&one);
    g_mutex_unlock(&two);
    return unused;
}

int main(void) {
    GThread *thread = g_thread_new("work", work, NULL);
    g_usleep(1000);
    g_mutex_lock(&one);
    g_mutex_lock(&two);
    g_mutex_unlock(&two);
    g_mutex_unlock(&one);
    g_thread_join(thread);
    return 0;
}
