// The statement is destroyed after the worker has ended.
// flags: -lsqlite3
#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdio.h>

static sqlite3 *db;
static sqlite3_stmt *statement;
static sem_t ready;

static void *worker(void *arg) {
    sem_wait(&ready);
    if (sqlite3_step(statement) == SQLITE_ROW)
        printf("%d\n", sqlite3_column_int(statement, 0));
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sqlite3_open(":memory:", &db);
    pthread_create(&thread, 0, worker, 0);
    sqlite3_prepare_v2(db, "select ? + 1", -1, &statement, 0);
    sqlite3_bind_int(statement, 1, 41);
    sem_post(&ready);
    pthread_join(thread, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return 0;
}
