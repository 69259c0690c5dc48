// Waits of the standard library: for good, and with a deadline.
// t0: start; sem_init s 0; fork t1; sem_wait s; lock m; broadcast c; unlock m; join t1; exit 0; cond_destroy c
// t1: start; lock m; unlock m; fwait c m; lock m; sem_post s; unlock m; wait c m; lock m; unlock m; end
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <semaphore.h>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static sem_t locked;
static bool ready;

static void work() {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait_for(lock, std::chrono::seconds(-1));
    sem_post(&locked);
    condition.wait(lock, [] { return ready; });
}

int main() {
    sem_init(&locked, 0, 0);
    std::thread thread(work);
    sem_wait(&locked);
    {
        std::lock_guard<std::mutex> guard(mutex);
        ready = true;
        condition.notify_all();
    }
    thread.join();
    return 0;
}
