// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Unit tests of output streams whose first failed write is final.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "output/sink.h"
#include "unit.h"

#define LIMIT	16

static char path[] = "/tmp/ucore-sink-XXXXXX";

static void size_limit(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static size_t file_read(char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t got;

	assert_non_null(file);
	got = fread(text, 1, size, file);
	fclose(file);
	return got;
}

static FILE *sink_begin(void)
{
	int fd;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	signal(SIGXFSZ, SIG_IGN);
	return sink_open(fd);
}

static void sink_writes_what_fits(void **state)
{
	FILE *stream = sink_begin();
	char text[64];

	(void)state;
	fputs("one\n", stream);
	assert_int_equal(sink_flush(stream), 0);
	fputs("two\n", stream);
	assert_int_equal(sink_close(stream), 0);
	assert_int_equal(file_read(text, sizeof(text)), 8);
	assert_memory_equal(text, "one\ntwo\n", 8);
	unlink(path);
}

static void sink_writes_nothing_after_a_failure(void **state)
{
	FILE *stream = sink_begin();
	char text[64];

	(void)state;
	size_limit(LIMIT);
	fputs("a row of more than 16 bytes\n", stream);
	assert_int_equal(sink_flush(stream), EFBIG);
	size_limit(RLIM_INFINITY);
	/* there is space again */
	fputs("the next row\n", stream);
	assert_int_equal(sink_flush(stream), EFBIG);
	assert_true(ferror(stream));
	assert_int_equal(sink_close(stream), EFBIG);
	assert_int_equal(file_read(text, sizeof(text)), LIMIT);
	assert_memory_equal(text, "a row of more than 16 bytes", LIMIT);
	unlink(path);
}

static void sink_keeps_the_first_error(void **state)
{
	FILE *full = sink_create("/dev/full"), *other = sink_begin();

	(void)state;
	assert_non_null(full);
	fputs("lost", full);
	fputs("kept", other);
	assert_int_equal(sink_flush(full), ENOSPC);
	assert_int_equal(sink_close(other), 0);
	errno = EIO;
	assert_int_equal(sink_close(full), ENOSPC);
	unlink(path);
}

static void sink_of_a_missing_directory_fails(void **state)
{
	(void)state;
	assert_null(sink_create("/nonexistent/file"));
	assert_int_equal(errno, ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sink_writes_what_fits),
	cmocka_unit_test(sink_writes_nothing_after_a_failure),
	cmocka_unit_test(sink_keeps_the_first_error),
	cmocka_unit_test(sink_of_a_missing_directory_fails),
};

UNIT_MAIN(tests)
