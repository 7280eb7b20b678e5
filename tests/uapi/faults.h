/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults that the kernel injects into one system call of this thread: its nth allocation or
 * copy from or to user memory fails.  This needs a kernel with fault injection (the debug
 * kernel), and root.
 */
#ifndef UAPI_FAULTS_H
#define UAPI_FAULTS_H

#include "harness.h"
#include <fcntl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

#define FAULTS		"/sys/kernel/debug"

static const char * const fault_kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
static int fault_nth = -1;

static inline void text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	must(fd >= 0, "%s: %m", path);
	must(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %m", path);
	close(fd);
}

static inline void fault_set(const char *kind, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), FAULTS "/%s/%s", kind, name);
	text_write(path, text);
}

/*
 * The kernel writes to the thread's area of restartable sequences when it was preempted.  Where
 * that page has just been shared by fork(), it needs another one, and a fault there is a SIGSEGV.
 */
static inline void rseq_end(void)
{
	struct rseq *area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);

	if (__rseq_size && syscall(SYS_rseq, area, sizeof(*area), RSEQ_FLAG_UNREGISTER, RSEQ_SIG))
		must(errno == EINVAL, "rseq: %m");	/* already registered */
}

/* Let faults also hit sleeping allocations and single pages, and log none of them */
static inline void faults_begin(void)
{
	rseq_end();
	for (unsigned int i = 0; i < ARRAY_SIZE(fault_kinds); i++)
		fault_set(fault_kinds[i], "verbose", "0");
	fault_set("failslab", "ignore-gfp-wait", "N");
	fault_set("fail_page_alloc", "ignore-gfp-wait", "N");
	fault_set("fail_page_alloc", "ignore-gfp-highmem", "N");
	fault_set("fail_page_alloc", "min-order", "0");
	fault_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	must(fault_nth >= 0, "fail-nth: %m");
}

/* Inject only into calls from code between @start and @end; 0, UINT64_MAX: the whole kernel */
static inline void faults_within(uint64_t start, uint64_t end)
{
	char text[2][24];

	snprintf(text[0], sizeof(text[0]), "%#llx", (unsigned long long)start);
	snprintf(text[1], sizeof(text[1]), "%#llx", (unsigned long long)end);
	for (unsigned int i = 0; i < ARRAY_SIZE(fault_kinds); i++) {
		fault_set(fault_kinds[i], "require-start", text[0]);
		fault_set(fault_kinds[i], "require-end", text[1]);
	}
}

/*
 * Inject only into calls from ucore, whose address is in /proc/modules: "ucore SIZE ...
 * 0xADDRESS"
 */
static inline void faults_within_ucore(void)
{
	FILE *modules = fopen("/proc/modules", "r");
	unsigned long long at = 0;
	unsigned int size = 0;
	char line[256];

	must(modules, "/proc/modules: %m");
	while (!at && fgets(line, sizeof(line), modules))
		if (sscanf(line, "ucore %u %*u %*s %*s %llx", &size, &at) != 2)
			at = 0;
	fclose(modules);
	must(at && size, "where is ucore?");
	faults_within(at, at + size);
}

static inline void faults_everywhere(void)
{
	faults_within(0, UINT64_MAX);
}

/* The write itself may be the call that fails */
static inline void fault_write(const char *text)
{
	for (unsigned int tries = 0; tries < 3; tries++)
		if (write(fault_nth, text, strlen(text)) > 0)
			return;
	must(false, "fail-nth: %m");
}

static inline void fault_arm(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	fault_write(text);
}

/*
 * Return true if a fault was injected. Otherwise the nth call is still pending and may be in
 * this query
 */
static inline bool fault_disarm(void)
{
	char left[16] = "";
	bool hit = pread(fault_nth, left, sizeof(left) - 1, 0) > 0 && !atoi(left);

	fault_write("0");
	return hit;
}

struct fault_tally {
	unsigned int injected, refused;
};

/* Check and count @rc, the result of a call (0 or -errno). @also: additional valid errno, or 0 */
static inline void fault_judge(struct fault_tally *tally, const char *name, unsigned int n,
			       bool hit, int rc, int also)
{
	tally->injected += hit;
	if (!rc)
		return;
	tally->refused++;
	expect(hit, "%s: %s without a fault", name, error_name(rc));
	expect(rc == -ENOMEM || rc == -EFAULT || (also && rc == -also), "%s, fault %u: %s", name, n,
	       error_name(rc));
}

#endif
