// libuv: work on its pool of threads, and a loop that is woken from them.
#include <stdio.h>
#include <uv.h>

enum { JOBS = 8 };

static uv_mutex_t mutex;
static uv_async_t wake;
static int squares[JOBS], done, woken, sum;

static void square(uv_work_t *work) {
  int number = *(int *)work->data;
  squares[number] = number * number;
  uv_mutex_lock(&mutex);
  sum += number;
  uv_mutex_unlock(&mutex);
  uv_async_send(&wake);
}

static void finished(uv_work_t *work, int status) {
  (void)work, (void)status;
  if (++done == JOBS) uv_close((uv_handle_t *)&wake, NULL);
}

static void on_wake(uv_async_t *handle) {
  (void)handle;
  woken = 1;
}

int main(void) {
  uv_loop_t *loop = uv_default_loop();
  uv_work_t works[JOBS];
  int numbers[JOBS];
  uv_mutex_init(&mutex);
  uv_async_init(loop, &wake, on_wake);
  for (int i = 0; i < JOBS; i++) {
    numbers[i] = i;
    works[i].data = &numbers[i];
    uv_queue_work(loop, &works[i], square, finished);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  printf("%d %d %d\n", sum, squares[JOBS - 1], done);
  uv_mutex_destroy(&mutex);
  return uv_loop_close(loop);
}
