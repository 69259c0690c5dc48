// Boost: a pool of threads (Asio), a queue without locks (Lockfree), threads, mutexes and conditions (Thread).
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/thread.hpp>
#include <cstdio>

int main() {
  int total = 0;
  {
    boost::asio::thread_pool pool(2);
    auto strand = boost::asio::make_strand(pool);
    for (int i = 0; i < 10; i++) boost::asio::post(strand, [&total, i] { total += i; });
    pool.join();
  }

  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<16>> queue;
  boost::mutex mutex;
  boost::condition_variable full;
  int taken = 0;
  bool ready = false;
  boost::thread consumer([&] {
    boost::unique_lock<boost::mutex> lock(mutex);
    while (!ready) full.wait(lock);
    lock.unlock();
    int value;
    while (queue.pop(value)) taken += value;
  });
  for (int i = 0; i < 10; i++) queue.push(i);
  {
    boost::lock_guard<boost::mutex> lock(mutex);
    ready = true;
    full.notify_one();
  }
  consumer.join();
  std::printf("%d %d\n", total, taken);
}
