// SPDX-License-Identifier: GPL-2.0-only
/* wrmsr CPU MSR VALUE: one MSR, through /dev/cpu/N/msr, made writable. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[32];
	uint64_t value;
	int fd;

	if (argc != 4)
		return 2;
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", atoi(argv[1]));
	value = strtoull(argv[3], NULL, 0);
	fd = open(path, O_WRONLY);
	if (fd < 0 || pwrite(fd, &value, sizeof(value), strtoul(argv[2], NULL, 0)) !=
	    sizeof(value)) {
		perror(path);
		return 1;
	}
	return 0;
}
