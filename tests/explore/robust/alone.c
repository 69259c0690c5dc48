// No second thread.
int main(void) { return 0; }
