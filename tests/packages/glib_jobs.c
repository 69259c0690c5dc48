#include <glib.h>
#include <stdio.h>
static GMutex mutex; static GCond cond; static GRWLock rw; static GRecMutex rec;
static int total, ready, table, deep, lazy_value, bits_value; static gint bit_word;
static GAsyncQueue *queue; static GOnce once = G_ONCE_INIT; static int once_made;
typedef struct { int value; } Job;
static gpointer make(gpointer unused) { (void)unused; once_made = 7; return &once_made; }
static int *lazy(void) { static gsize done; static int it;
  if (g_once_init_enter(&done)) { it = 5; lazy_value = 9; g_once_init_leave(&done, (gsize)&it); } return (int *)done; }
static gpointer work(gpointer unused) { (void)unused;
  for (;;) { Job *job = g_async_queue_pop(queue); if (job->value < 0) { g_free(job); break; }
    g_mutex_lock(&mutex); total += job->value; g_mutex_unlock(&mutex); g_free(job); }
  g_rw_lock_writer_lock(&rw); table++; g_rw_lock_writer_unlock(&rw);
  g_rw_lock_reader_lock(&rw); int seen = table; g_rw_lock_reader_unlock(&rw); (void)seen;
  g_rec_mutex_lock(&rec); g_rec_mutex_lock(&rec); deep++; g_rec_mutex_unlock(&rec); g_rec_mutex_unlock(&rec);
  g_bit_lock(&bit_word, 3); bits_value++; g_bit_unlock(&bit_word, 3);
  int *p = g_once(&once, make, NULL); if (*p != 7) return NULL;
  if (*lazy() != 5 || lazy_value != 9) return NULL;
  g_mutex_lock(&mutex); ready++; g_cond_signal(&cond); g_mutex_unlock(&mutex); return NULL; }
static void pooled(gpointer data, gpointer user) { Job *job = data; (void)user; job->value *= 2; }
int main(void) {
  queue = g_async_queue_new();
  GThread *threads[2]; for (int i = 0; i < 2; i++) threads[i] = g_thread_new("work", work, NULL);
  for (int i = 0; i < 6; i++) { Job *job = g_new(Job, 1); job->value = i; g_async_queue_push(queue, job); }
  for (int i = 0; i < 2; i++) { Job *job = g_new(Job, 1); job->value = -1; g_async_queue_push(queue, job); }
  g_mutex_lock(&mutex); while (ready < 2) g_cond_wait(&cond, &mutex); g_mutex_unlock(&mutex);
  for (int i = 0; i < 2; i++) g_thread_join(threads[i]);
  Job jobs[3]; GThreadPool *pool = g_thread_pool_new(pooled, NULL, 2, FALSE, NULL);
  for (int i = 0; i < 3; i++) { jobs[i].value = i; g_thread_pool_push(pool, &jobs[i], NULL); }
  g_thread_pool_free(pool, FALSE, TRUE);
  printf("%d %d %d %d %d\n", total, table, deep, bits_value, jobs[2].value);
}
