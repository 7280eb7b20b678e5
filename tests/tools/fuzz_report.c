// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzz test of 'ucoretool script' and 'report' with damaged files.  Each run must return 0 or 1
 * without a report of the sanitizers.
 *
 * Usage: fuzz_report FILE ROUNDS [SEED].  FILE is a valid file.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands.h"
#include "fake.h"
#include "tool.h"

static unsigned char good[1 << 20], bad[1 << 20];

static void bytes_change(size_t size, unsigned int *seed)
{
	static const uint32_t nice[] = { 0, 1, 8, 16, 0x7fffffff, 0x80000000, 0xffffffff, 65536 };
	unsigned int changes = 1 + (unsigned int)rand_r(seed) % 6;

	while (changes--) {
		size_t at = (size_t)rand_r(seed) % (size - 8);

		if (rand_r(seed) % 2)
			at = at / 4 * 4;
		if (rand_r(seed) % 3)
			memcpy(bad + at, &nice[(unsigned int)rand_r(seed) % ARRAY_SIZE(nice)], 4);
		else
			bad[at] ^= (unsigned char)(1 << rand_r(seed) % 8);
	}
}

/* CTF output needs a new directory in each round */
static void trace_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static int report(const char *path, unsigned int how)
{
	char trace[] = "/tmp/ucore-trace-XXXXXX";
	char *const formats[][5] = {
		{ "script", "-j", "--per-box" }, { "script", "-x", ";", }, { "script", "--totals" },
		{ "script", "--per-box" }, { "report", "--per-box", "-j" },
		{ "report", "-M", "memory_bandwidth_read" }, { "report", "-M", "*", "-x," },
		{ "report", "--html", "/dev/null" }, { "report", "--ctf", trace },
	};
	const char *first = formats[how % ARRAY_SIZE(formats)][0];
	char *argv[8] = { "ucoretool", (char *)first, "-i", (char *)path };
	int argc = 4, ret;

	if (!mkdtemp(trace) || rmdir(trace))
		return -1;
	for (char *const *word = formats[how % ARRAY_SIZE(formats)] + 1; *word; word++)
		argv[argc++] = *word;
	ret = ucoretool_run(argc, argv, &fake_sys);
	trace_remove(trace);
	/* a damaged event can make the metric unavailable */
	return ret == EXIT_USAGE && !strcmp(first, "report") ? 1 : ret;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? (unsigned int)atoi(argv[2]) : 1000;
	unsigned int seed = argc > 3 ? (unsigned int)atoi(argv[3]) : 1;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[32];
	FILE *stream = argc > 1 ? fopen(argv[1], "r") : NULL;
	unsigned int refused = 0;
	size_t size;

	if (!stream || fd < 0)
		return 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	size = fread(good, 1, sizeof(good), stream);
	fclose(stream);
	if (size < 64 || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		return 1;
	for (unsigned int i = 0; i < rounds; i++) {
		size_t length = rand_r(&seed) % 8 ? size : 64 + (size_t)rand_r(&seed) % (size - 64);
		int ret;

		memcpy(bad, good, size);
		bytes_change(size, &seed);
		stream = fopen(path, "w");
		if (!stream || fwrite(bad, 1, length, stream) != length || fclose(stream))
			return 1;
		ret = report(path, i);
		if (ret != 0 && ret != 1)
			return 1;
		refused += (unsigned int)ret;
	}
	/* at least one damage must be detected */
	return refused < rounds / 10;
}
