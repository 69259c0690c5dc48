// SQLite: two threads write to one database through one connection, and each through a connection of its own to a
// shared cache.
#include <pthread.h>
#include <stdio.h>
#include <sqlite3.h>

static sqlite3 *shared;

static void run(sqlite3 *db, const char *sql) {
  char *error = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) fprintf(stderr, "%s\n", error);
  sqlite3_free(error);
}

static void *work(void *argument) {
  sqlite3 *own;
  char sql[100];
  sqlite3_open(":memory:", &own);
  run(own, "create table t (n)");
  for (int i = 0; i < 5; i++) {
    snprintf(sql, sizeof sql, "insert into t values (%d)", i + *(int *)argument);
    run(shared, sql);
    run(own, sql);
  }
  sqlite3_close(own);
  return NULL;
}

static int count(void *unused, int columns, char **values, char **names) {
  (void)unused, (void)columns, (void)names;
  printf("%s\n", values[0]);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  int offsets[2] = {0, 100};
  sqlite3_open(":memory:", &shared);
  run(shared, "create table t (n)");
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &offsets[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  sqlite3_exec(shared, "select sum(n) from t", count, NULL, NULL);
  sqlite3_close(shared);
  return 0;
}
