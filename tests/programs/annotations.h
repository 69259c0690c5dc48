// The dynamic annotations, as programs declare them.
#ifdef __cplusplus
extern "C" {
#endif
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, unsigned long bytes, const char *why);
void AnnotateBenignRace(const char *file, int line, const volatile void *at, const char *why);
void AnnotateEnableRaceDetection(const char *file, int line, int on);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateHappensBefore(const char *file, int line, const volatile void *at);
void AnnotateHappensAfter(const char *file, int line, const volatile void *at);
#ifdef __cplusplus
}
#endif
