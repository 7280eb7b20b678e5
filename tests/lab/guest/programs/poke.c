// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access registers, for tests of the machine model.  The arguments are any number of
 *
 *   r CPU MSR               prints the value, or "fault"
 *   w CPU MSR VALUE         prints "fault" if the write faults
 *   pr BUS:DEV.FN OFFSET    config dword as the kernel reads it (CF8h/CFCh)
 *   pw BUS:DEV.FN OFFSET VALUE
 *   er BUS:DEV.FN OFFSET    config dword through ECAM (needs iomem=relaxed)
 *   ew BUS:DEV.FN OFFSET VALUE
 *   eb BUS:DEV.FN OFFSET VALUE      writes a byte
 *   mr SIZE ADDRESS         physical memory, SIZE 1, 2, 4 or 8 bytes (iomem=relaxed)
 *   mw SIZE ADDRESS VALUE
 *   md ADDRESS COUNT        COUNT times 8 bytes from ADDRESS on
 *   same SIZE ADDRESS COUNT reads COUNT times; prints how many reads differ from the first
 *   decode BUS:DEV.FN COUNT toggles the memory decode of the function COUNT times (ECAM)
 *   mark VALUE              writes a marker to the model's log
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
#define COMMAND_MEMORY	0x2

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

/* Find the base of ECAM in /proc/iomem. */
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

static volatile void *memory(uint64_t address)
{
	static uint64_t mapped = UINT64_MAX;
	static uint8_t *map;
	int fd;

	if (address >> 12 != mapped) {
		if (map)
			munmap(map, 4096);
		fd = open("/dev/mem", O_RDWR | O_SYNC);
		map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (off_t)(address & ~4095ull));
		if (map == MAP_FAILED)
			die("/dev/mem");
		close(fd);
		mapped = address >> 12;
	}
	return map + (address & 4095);
}

static uint64_t memory_get(unsigned int size, uint64_t address)
{
	volatile void *at = memory(address);

	switch (size) {
	case 1:
		return *(volatile uint8_t *)at;
	case 2:
		return *(volatile uint16_t *)at;
	case 4:
		return *(volatile uint32_t *)at;
	default:
		return *(volatile uint64_t *)at;
	}
}

static void memory_read(char **arg)
{
	printf("0x%llx\n", (unsigned long long)memory_get(number(arg[0]), number(arg[1])));
}

static void memory_write(char **arg)
{
	volatile void *at = memory(number(arg[1]));
	uint64_t val = number(arg[2]);

	switch (number(arg[0])) {
	case 1:
		*(volatile uint8_t *)at = val;
		break;
	case 2:
		*(volatile uint16_t *)at = val;
		break;
	case 4:
		*(volatile uint32_t *)at = val;
		break;
	default:
		*(volatile uint64_t *)at = val;
		break;
	}
}

static void memory_dump(char **arg)
{
	uint64_t address = number(arg[0]), count = number(arg[1]);

	for (; count; count--, address += 8)
		printf("0x%llx\n", (unsigned long long)memory_get(8, address));
}

/*
 * Compute for a varying time between two accesses, so that they hit any phase of concurrent
 * activity.
 */
static void pause_a_while(uint64_t count)
{
	for (volatile unsigned int i = count * 7919 % 8192; i; i--)
		;
}

static void memory_same(char **arg)
{
	uint64_t size = number(arg[0]), address = number(arg[1]), count = number(arg[2]);
	uint64_t first = memory_get(size, address), unlike = 0;

	for (; count; count--) {
		pause_a_while(count);
		unlike += memory_get(size, address) != first;
	}
	printf("%llu\n", (unsigned long long)unlike);
}

static void decode_toggle(char **arg)
{
	volatile uint16_t *command = (volatile uint16_t *)ecam(arg[0], "4");
	uint64_t count = number(arg[1]);
	uint16_t on = *command;

	for (; count; count--) {
		*command = on & ~COMMAND_MEMORY;
		*command = on;
	}
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
	{ "mr", 2, memory_read },
	{ "mw", 3, memory_write },
	{ "md", 2, memory_dump },
	{ "same", 3, memory_same },
	{ "decode", 2, decode_toggle },
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
