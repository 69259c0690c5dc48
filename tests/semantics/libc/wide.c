// ways: gcc clang tsan
// flags: -fno-builtin
// show: other out text
// Strings of wide characters: four bytes each.
// t0: start; fork t1; join t1; exit 0
// t1: start; read text[0..24]; release h; read text[0..24]; write out[0..24]; release h; read other[0..20]
// t1: read out[0..24]; write out[20..40]; release h; read other[0..16]; read text[0..16]; release h; read text[0..12]
// t1: release h; read text[0..12]; write out[0..12]; release h; write out[16..24]; release h; end
#include <pthread.h>
#include <wchar.h>
void __tsan_release(void *at);
wchar_t text[10] = L"hello", other[10] = L"help", out[20];
char mark[1];
static void *work(void *arg) {
    long sum = (long)arg;
    sum += wcslen(text), __tsan_release(mark);
    wcscpy(out, text), __tsan_release(mark);
    wcscat(out, other), __tsan_release(mark);
    sum += wcscmp(text, other), __tsan_release(mark);
    sum += wcschr(text, L'l') != 0, __tsan_release(mark);
    wmemcpy(out, text, 3), __tsan_release(mark);
    wmemset(out + 4, L'x', 2), __tsan_release(mark);
    return (void *)sum;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
