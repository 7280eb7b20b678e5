// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and enter another kernel without a reset:
 *
 *	kexec VMLINUX INITRD CMDLINE	loads an uncompressed kernel
 *	kexec -e			enters the loaded kernel
 *
 * The kernel is entered at its 64-bit entry point according to the boot protocol, by the
 * instructions of enter[] and with the boot parameters of the running kernel.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE		4096ul
#define LOW		0x10000ul	/* three pages: code, parameters, command line */
#define PARAMS		(LOW + PAGE)
#define CMDLINE		(LOW + 2 * PAGE)
#define INITRD		(512ul << 20)
#define MAX_SEGMENTS	16

/* Documentation/arch/x86/zero-page.rst, boot.rst */
#define LOADER_TYPE	0x210
#define RAMDISK		0x218
#define RAMDISK_SIZE	0x21c
#define CMDLINE_AT	0x228
#define SETUP_DATA	0x250

#ifndef RB_KEXEC
#define RB_KEXEC	0x45584543
#endif

struct segment {
	const void *buf;
	size_t bufsz;
	const void *mem;
	size_t memsz;
};

static struct segment segments[MAX_SEGMENTS];
static unsigned int nr_segments;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static const uint8_t *map(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	at = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		die(path);
	*size = st.st_size;
	return at;
}

static void segment(const void *buf, size_t bufsz, unsigned long mem, size_t memsz)
{
	if (nr_segments == MAX_SEGMENTS) {
		fprintf(stderr, "kexec: too many segments\n");
		exit(1);
	}
	segments[nr_segments++] = (struct segment){
		buf, bufsz, (const void *)mem, (memsz + PAGE - 1) & ~(PAGE - 1)
	};
}

/* The kernel where it wants to be; returns its entry. */
static unsigned long load_kernel(const char *path)
{
	size_t size;
	const uint8_t *image = map(path, &size);
	const Elf64_Ehdr *elf = (const void *)image;
	const Elf64_Phdr *part = (const void *)(image + elf->e_phoff);

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_machine != EM_X86_64) {
		fprintf(stderr, "kexec: %s is no 64-bit ELF\n", path);
		exit(1);
	}
	for (int i = 0; i < elf->e_phnum; i++)
		if (part[i].p_type == PT_LOAD)
			segment(image + part[i].p_offset, part[i].p_filesz, part[i].p_paddr,
				part[i].p_memsz);
	return elf->e_entry;
}

static void put32(uint8_t *at, uint32_t val)
{
	memcpy(at, &val, sizeof(val));
}

static void put64(uint8_t *at, uint64_t val)
{
	memcpy(at, &val, sizeof(val));
}

static void load(char **arg)
{
	/* movabs $PARAMS, %rsi; movabs $entry, %rax; jmp *%rax */
	uint8_t enter[] = { 0x48, 0xbe, 0, 0, 0, 0, 0, 0, 0, 0,
			    0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0 };
	static uint8_t low[3 * PAGE];
	uint8_t *params = low + PAGE;
	unsigned long entry = load_kernel(arg[0]);
	const uint8_t *initrd;
	size_t size;
	int fd;

	put64(enter + 2, PARAMS);
	put64(enter + 12, entry);
	memcpy(low, enter, sizeof(enter));
	fd = open("/sys/kernel/boot_params/data", O_RDONLY);
	if (fd < 0 || read(fd, params, PAGE) != (ssize_t)PAGE)
		die("/sys/kernel/boot_params/data");
	snprintf((char *)low + 2 * PAGE, PAGE, "%s", arg[2]);
	initrd = map(arg[1], &size);
	segment(initrd, size, INITRD, size);
	params[LOADER_TYPE] = 0xff;
	put32(params + RAMDISK, INITRD);
	put32(params + RAMDISK_SIZE, size);
	put32(params + CMDLINE_AT, CMDLINE);
	put64(params + SETUP_DATA, 0);
	segment(low, sizeof(low), LOW, sizeof(low));
	if (syscall(SYS_kexec_load, LOW, (long)nr_segments, segments, 0l))
		die("kexec_load");
}

int main(int argc, char **argv)
{
	if (argc == 4)
		load(argv + 1);
	else if (argc == 2 && !strcmp(argv[1], "-e"))
		return reboot(RB_KEXEC);
	else
		return 2;
	return 0;
}
