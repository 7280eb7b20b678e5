/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP for small programs.  Each subtest runs in a separate process, so that its
 * resources are released before the next one begins, and a crash or a hang is one
 * failed subtest.
 *
 *   expect...()  reports a failure and continues
 *   must()       reports a failure and ends the subtest
 *   skip_test()  ends the subtest; the text names what is missing
 */
#ifndef UAPI_HARNESS_H
#define UAPI_HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define _FILE_OFFSET_BITS	64	/* mmap offsets of 32-bit callers */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define TEST_SECONDS	180	/* timeout of a subtest, sufficient on a busy host */
#define WAIT_SECONDS	60	/* timeout of wait_for() */
#define MAX_COMPLAINTS	20

enum { TEST_OK, TEST_FAILED, TEST_SKIPPED = 4 };

struct test {
	const char *name;
	void (*run)(const void *arg);
	const void *arg;
	const char *prefix;	/* prefix of the name; NULL: none */
};

static unsigned int failures;

__attribute__((format(printf, 3, 4)))
static inline void complain(const char *file, int line, const char *format, ...)
{
	va_list args;

	if (failures++ >= MAX_COMPLAINTS)
		return;
	printf("# %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

#define fail(...)	complain(__FILE_NAME__, __LINE__, __VA_ARGS__)

#define expect(cond, ...) \
	do { \
		if (!(cond)) \
			fail(__VA_ARGS__); \
	} while (0)

#define must(cond, ...) \
	do { \
		if (!(cond)) { \
			fail(__VA_ARGS__); \
			fflush(stdout); \
			_exit(TEST_FAILED); \
		} \
	} while (0)

#define expect_eq(got, want) \
	do { \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		expect(got_ == want_, "%s is %lld, not %lld", #got, got_, want_); \
	} while (0)

static inline const char *error_name(int rc)
{
	return rc < 0 ? strerrorname_np(-rc) : rc ? "a positive value" : "success";
}

/* Check the result of a call. @got: 0 or -errno, @want: 0 or an errno */
#define expect_rc_of(got, want, what) \
	do { \
		int got_ = (got), want_ = (want); \
		expect(got_ == -want_, "%s: %s, not %s", (what), \
		       error_name(got_), error_name(-want_)); \
	} while (0)

#define expect_rc(got, want)	expect_rc_of(got, want, #got)

#define skip_test(...) \
	do { \
		printf("# SKIP "); \
		printf(__VA_ARGS__); \
		printf("\n"); \
		fflush(stdout); \
		_exit(TEST_SKIPPED); \
	} while (0)

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static inline void pause_briefly(void)
{
	usleep(500);
}

/* Poll @cond until it is true; the subtest fails after WAIT_SECONDS */
#define wait_for(cond) \
	do { \
		uint64_t limit_ = now_ns() + WAIT_SECONDS * 1000000000ULL; \
		while (!(cond)) { \
			must(now_ns() < limit_, "not within %d s: %s", \
			     WAIT_SECONDS, #cond); \
			pause_briefly(); \
		} \
	} while (0)

static inline int test_child(const struct test *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(TEST_SECONDS);
		test->run(test->arg);
		fflush(stdout);
		_exit(failures ? TEST_FAILED : TEST_OK);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return TEST_FAILED;
	if (WIFSIGNALED(status)) {
		printf("# died of signal %d (%s)\n", WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
		return TEST_FAILED;
	}
	return WEXITSTATUS(status);
}

/* Return true for all tests, or, with arguments, for tests whose names contain one of them */
static inline bool test_wanted(const struct test *test, int argc, char **argv)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", test->prefix ?: "", test->name);
	for (int i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc < 2;
}

static inline int run_tests(const struct test *tests, unsigned int nr,
			    int argc, char **argv)
{
	unsigned int bad = 0, done = 0;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	printf("KTAP version 1\n");
	for (unsigned int i = 0; i < nr; i++) {
		int verdict;

		if (!test_wanted(&tests[i], argc, argv))
			continue;
		verdict = test_child(&tests[i]);
		bad += verdict != TEST_OK && verdict != TEST_SKIPPED;
		printf("%s %u %s%s%s\n",
		       verdict == TEST_OK || verdict == TEST_SKIPPED ? "ok" : "not ok",
		       ++done, tests[i].prefix ?: "", tests[i].name,
		       verdict == TEST_SKIPPED ? " # SKIP" : "");
	}
	printf("1..%u\n", done);
	fflush(stdout);
	return bad ? 1 : 0;
}

/*
 * ---- Memory -------------------------------------------------------------
 */

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* Return @size bytes of memory that an unmapped page follows */
static inline void *guarded(size_t size)
{
	size_t page = page_size();
	size_t room = (size + page - 1) / page * page;
	char *map = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(map != MAP_FAILED, "mmap: %m");
	must(!munmap(map + room, page), "munmap: %m");
	return map + room - size;
}

static inline void memory_protect(void *at, size_t size, int protection)
{
	size_t page = page_size();
	uintptr_t first = (uintptr_t)at & ~(page - 1);
	uintptr_t end = ((uintptr_t)at + size + page - 1) & ~(page - 1);

	must(!mprotect((void *)first, end - first, protection), "mprotect: %m");
}

#define POISON		0xa5

/* Offset of the first byte of @at that is not @byte, or -1 */
static inline long memory_differs(const void *at, int byte, size_t size)
{
	const unsigned char *p = at;

	/* compare each byte with the previous one, because memcmp() is fast */
	if (!size || (p[0] == (unsigned char)byte && !memcmp(p, p + 1, size - 1)))
		return -1;
	for (size_t i = 0; i < size; i++)
		if (p[i] != (unsigned char)byte)
			return i;
	return -1;
}

#endif
