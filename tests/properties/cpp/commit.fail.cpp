// Two-phase commit: the coordinator commits when one of two participants has voted.
// event: vote(#0) before call vote
// event: commit() before call commit
// property: all_voted: vote(2) before commit
// fails: all_voted
#include <semaphore.h>
#include <thread>

static sem_t votes;
static void vote(int) { sem_post(&votes); }
static void commit() {}

int main() {
    sem_init(&votes, 0, 0);
    std::thread one([] { vote(1); });
    std::thread two([] { vote(2); });
    sem_wait(&votes);
    commit();
    one.join();
    two.join();
}
