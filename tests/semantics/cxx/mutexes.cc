// flags: -std=c++17
// The standard library's mutexes are those of the system.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; unlock m; lock m2 recursive; lock m2 recursive; unlock m2 recursive; unlock m2 recursive
// t1: lock m3 timed; unlock m3; lock m3 timed; unlock m3; rdlock m4 rwlock; unlock m4 rwlock; lock m4 rwlock
// t1: unlock m4 rwlock; rdlock m5 rwlock timed; unlock m5 rwlock; lock m5 rwlock timed; unlock m5 rwlock; lock m
// t1: lock m2 recursive try; unlock m; unlock m2 recursive; end
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::shared_timed_mutex both;

static void work() {
    { std::lock_guard<std::mutex> guard(plain); }
    {
        std::lock_guard<std::recursive_mutex> outer(recursive);
        std::lock_guard<std::recursive_mutex> inner(recursive);
    }
    if (timed.try_lock_for(100s))
        timed.unlock();
    if (timed.try_lock_until(std::chrono::system_clock::now() + 100s))
        timed.unlock();
    { std::shared_lock<std::shared_mutex> guard(shared); }
    { std::unique_lock<std::shared_mutex> guard(shared); }
    if (both.try_lock_shared_for(100s))
        both.unlock_shared();
    if (both.try_lock_for(100s))
        both.unlock();
    std::scoped_lock two(plain, recursive);
}

int main() {
    std::thread(work).join();
    return 0;
}
