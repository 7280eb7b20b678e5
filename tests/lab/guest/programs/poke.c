// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers by hand, for the tests of the machine model: any number of
 *
 *   r CPU MSR               prints the value, or "fault"
 *   w CPU MSR VALUE         prints "fault" if it does
 *   pr BUS:DEV.FN OFFSET    config dword as the kernel reads it (CF8h/CFCh)
 *   pw BUS:DEV.FN OFFSET VALUE
 *   er BUS:DEV.FN OFFSET    config dword through ECAM (needs iomem=relaxed)
 *   ew BUS:DEV.FN OFFSET VALUE
 *   eb BUS:DEV.FN OFFSET VALUE      a byte write
 *   mark VALUE              a marker in the model's log
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <unistd.h>

#define MARKER_PORT	0x5c0
#define ECAM_SIZE	(256ul << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

static int open_msr(const char *cpu)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", (unsigned int)number(cpu));
	fd = open(path, O_RDWR);
	if (fd < 0)
		die(path);
	return fd;
}

static void msr_read(char **arg)
{
	int fd = open_msr(arg[0]);
	uint64_t val;

	if (pread(fd, &val, sizeof(val), number(arg[1])) == sizeof(val))
		printf("0x%llx\n", (unsigned long long)val);
	else
		puts("fault");
	close(fd);
}

static void msr_write(char **arg)
{
	int fd = open_msr(arg[0]);
	uint64_t val = number(arg[2]);

	if (pwrite(fd, &val, sizeof(val), number(arg[1])) != sizeof(val))
		puts("fault");
	close(fd);
}

static int open_config(const char *function)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:%s/config", function);
	fd = open(path, O_RDWR);
	if (fd < 0)
		die(path);
	return fd;
}

static void config_read(char **arg)
{
	int fd = open_config(arg[0]);
	uint32_t val;

	if (pread(fd, &val, sizeof(val), number(arg[1])) != sizeof(val))
		die("config read");
	printf("0x%x\n", val);
	close(fd);
}

static void config_write(char **arg)
{
	int fd = open_config(arg[0]);
	uint32_t val = number(arg[2]);

	if (pwrite(fd, &val, sizeof(val), number(arg[1])) != sizeof(val))
		die("config write");
	close(fd);
}

/* The base of ECAM: the kernel says it in /proc/iomem. */
static uint64_t ecam_base(void)
{
	FILE *iomem = fopen("/proc/iomem", "r");
	unsigned long long base;
	char line[256];

	if (!iomem)
		die("/proc/iomem");
	while (fgets(line, sizeof(line), iomem)) {
		if ((strstr(line, "MMCONFIG") || strstr(line, "PCI ECAM")) &&
		    sscanf(line, "%llx", &base) == 1) {
			fclose(iomem);
			return base;
		}
	}
	fprintf(stderr, "poke: no ECAM\n");
	exit(1);
}

static volatile uint8_t *ecam(const char *function, const char *offset)
{
	static uint8_t *map;
	unsigned int bus, dev, fn;

	if (!map) {
		int fd = open("/dev/mem", O_RDWR | O_SYNC);

		map = mmap(NULL, ECAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, ecam_base());
		if (map == MAP_FAILED)
			die("/dev/mem");
		close(fd);
	}
	if (sscanf(function, "%x:%x.%x", &bus, &dev, &fn) != 3) {
		fprintf(stderr, "poke: %s: need BUS:DEV.FN\n", function);
		exit(2);
	}
	return map + (bus << 20 | dev << 15 | fn << 12) + number(offset);
}

static void ecam_read(char **arg)
{
	printf("0x%x\n", *(volatile uint32_t *)ecam(arg[0], arg[1]));
}

static void ecam_write(char **arg)
{
	*(volatile uint32_t *)ecam(arg[0], arg[1]) = number(arg[2]);
}

static void ecam_write_byte(char **arg)
{
	*ecam(arg[0], arg[1]) = number(arg[2]);
}

static void mark(char **arg)
{
	if (iopl(3))
		die("iopl");
	outb(number(arg[0]), MARKER_PORT);
}

static const struct {
	const char *name;
	int nr_args;
	void (*run)(char **arg);
} commands[] = {
	{ "r", 2, msr_read },
	{ "w", 3, msr_write },
	{ "pr", 2, config_read },
	{ "pw", 3, config_write },
	{ "er", 2, ecam_read },
	{ "ew", 3, ecam_write },
	{ "eb", 3, ecam_write_byte },
	{ "mark", 1, mark },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

int main(int argc, char **argv)
{
	int i = 1;

	while (i < argc) {
		size_t c = 0;

		while (c < NR_COMMANDS && strcmp(commands[c].name, argv[i]))
			c++;
		if (c == NR_COMMANDS || i + commands[c].nr_args >= argc) {
			fprintf(stderr, "poke: %s ?\n", argv[i]);
			return 2;
		}
		commands[c].run(argv + i + 1);
		i += 1 + commands[c].nr_args;
	}
	return 0;
}
