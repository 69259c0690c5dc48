#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* qsort_mt-like: a pool of threads, each with its own lock and condition, states ts_idle/ts_work/ts_term */
enum ts { idle, work, term };
struct common;
struct q {
    enum ts st;
    struct common *c;
    int *a;
    size_t n;
    pthread_t id;
    pthread_mutex_t m;
    pthread_cond_t cv;
};
struct common {
    int nthreads, idlethreads;
    pthread_mutex_t m;
    struct q *pool;
};
static struct q *alloc_thread(struct common *c) {
    pthread_mutex_lock(&c->m);
    for (int i = 0; i < c->nthreads; i++)
        if (c->pool[i].st == idle) {
            c->idlethreads--;
            c->pool[i].st = work; // expect: race with line 80
            pthread_mutex_lock(&c->pool[i].m);
            pthread_mutex_unlock(&c->m);
            return &c->pool[i];
        }
    pthread_mutex_unlock(&c->m);
    return NULL;
}
static void sort(struct q *q) {
    int *a = q->a;
    size_t n = q->n;
    while (n > 1) {
        int pv = a[n / 2];
        size_t i = 0, j = n - 1;
        for (;;) {
            while (a[i] < pv)
                i++;
            while (a[j] > pv)
                j--;
            if (i >= j)
                break;
            int t = a[i];
            a[i] = a[j];
            a[j] = t;
            i++;
            j--;
        }
        size_t l = i, r = n - i;
        struct q *o;
        if (l > 20 && (o = alloc_thread(q->c))) {
            o->a = a;
            o->n = l;
            pthread_cond_signal(&o->cv);
            pthread_mutex_unlock(&o->m);
        } else if (l > 0) {
            struct q sub = *q;
            sub.a = a;
            sub.n = l;
            if (l == n)
                return;
            sort(&sub);
        }
        a += l;
        n = r;
        if (l == 0)
            return;
    }
}
static void *thread(void *p) {
    struct q *q = p;
    struct common *c = q->c;
    for (;;) {
        pthread_mutex_lock(&q->m);
        while (q->n == 0 && q->st != term)
            pthread_cond_wait(&q->cv, &q->m);
        int end = q->st == term && q->n == 0;
        pthread_mutex_unlock(&q->m);
        if (end)
            return NULL;
        sort(q);
        pthread_mutex_lock(&c->m);
        pthread_mutex_lock(&q->m);
        q->n = 0;
        q->st = idle;
        c->idlethreads++;
        int all = c->idlethreads == c->nthreads;
        pthread_mutex_unlock(&q->m);
        if (all) {
            for (int i = 0; i < c->nthreads; i++) {
                if (&c->pool[i] == q)
                    continue;
                pthread_mutex_lock(&c->pool[i].m);
                c->pool[i].st = term;
                pthread_cond_signal(&c->pool[i].cv);
                pthread_mutex_unlock(&c->pool[i].m);
            }
            pthread_mutex_unlock(&c->m);
            return NULL;
        }
        pthread_mutex_unlock(&c->m);
    }
}
int main(void) {
    enum { N = 400, T = 3 };
    static int a[N];
    srand(7);
    for (int i = 0; i < N; i++)
        a[i] = rand() % 1000;
    struct q pool[T];
    struct common c = {.nthreads = T, .idlethreads = T, .pool = pool};
    pthread_mutex_init(&c.m, NULL);
    for (int i = 0; i < T; i++) {
        pool[i] = (struct q){.st = idle, .c = &c};
        pthread_mutex_init(&pool[i].m, NULL);
        pthread_cond_init(&pool[i].cv, NULL);
    }
    for (int i = 0; i < T; i++)
        pthread_create(&pool[i].id, NULL, thread, &pool[i]);
    struct q *q = alloc_thread(&c);
    q->a = a;
    q->n = N;
    pthread_cond_signal(&q->cv);
    pthread_mutex_unlock(&q->m);
    for (int i = 0; i < T; i++)
        pthread_join(pool[i].id, NULL);
    for (int i = 1; i < N; i++)
        if (a[i - 1] > a[i]) {
            puts("unsorted");
            return 1;
        }
    return 0;
}
