// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks of the processor, the kernel module and the device node, for `ucoretool doctor`.
 */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor/doctor.h"
#include "output/domain.h"

/* Oldest version of Linux for which the module can be built */
#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1

/* ---- processor --------------------------------------------------------- */

/* Return the number after "key<blanks>:" in /proc/cpuinfo, -1 if the key is missing */
static long cpuinfo_number(const char *cpuinfo, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = cpuinfo; line; line = strchr(line, '\n')) {
		const char *colon;

		line += *line == '\n';
		if (strncmp(line, key, length))
			continue;
		/* the key must end here: "model" does not match the line "model name" */
		colon = line + length + strspn(line + length, " \t");
		if (*colon == ':')
			return strtol(colon + 1, NULL, 10);
	}
	return -1;
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (text = strstr(text, word); text; text = strstr(text + 1, word))
		if (strchr(" \n", text[length]))
			return true;
	return false;
}

static void check_model(struct doctor *doctor, long family, long number, long stepping)
{
	const struct ucore_model *model = NULL;

	if (family >= 0 && number >= 0)
		model = ucore_model_find((uint32_t)family, (uint32_t)number,
					 stepping < 0 ? 0 : (uint32_t)stepping);
	if (model) {
		doctor_report(doctor, VERDICT_OK, "processor", NULL, "Intel family %ld model %ld: %s",
			      family, number, model->name);
		return;
	}
	doctor_report(doctor, VERDICT_WARNING, "processor",
		      "count raw events (type_N/event=1,umask=2/) and compare 'ucoretool info --discovery' with the manual",
		      "Intel family %ld model %ld is unknown to ucore: only boxes in its discovery tables can be used",
		      family, number);
}

void doctor_check_processor(struct doctor *doctor)
{
	char cpuinfo[16384];

	doctor_file_read(doctor, "/proc/cpuinfo", cpuinfo, sizeof(cpuinfo));
	if (!*cpuinfo) {
		doctor_report(doctor, VERDICT_WARNING, "processor", "mount /proc",
			      "/proc/cpuinfo cannot be read");
		return;
	}
	doctor->virtual = has_word(cpuinfo, "hypervisor");
	if (!strstr(cpuinfo, "GenuineIntel")) {
		doctor_report(doctor, VERDICT_PROBLEM, "processor",
			      "use ucore on a machine with an Intel Xeon",
			      "not an Intel processor: ucore supports only Intel's uncore monitors");
		return;
	}
	check_model(doctor, cpuinfo_number(cpuinfo, "cpu family"),
		    cpuinfo_number(cpuinfo, "model"), cpuinfo_number(cpuinfo, "stepping"));
}

/* Return true if an uncore box has passed its self-test since the module was loaded */
static bool uncore_passed(const struct doctor *doctor)
{
	const struct ucore_box_info *boxes;
	struct ucore_get_selftest selftest;
	size_t nr;

	boxes = ucore_device_boxes(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++)
		if (boxes[i].cpu < 0 &&
		    !ucore_device_selftest(doctor->dev, boxes[i].box, &selftest, NULL) &&
		    selftest.tested && !selftest.failed)
			return true;
	return false;
}

void doctor_check_virtual(struct doctor *doctor)
{
	if (!doctor->virtual)
		return;
	if (!doctor->dev)
		doctor_report(doctor, VERDICT_WARNING, "machine",
			      "run ucore on the host: guests rarely have access to uncore registers",
			      "a virtual machine (CPUID has the hypervisor flag)");
	else if (!domain_sum_device(doctor->dev).dies)
		/* doctor_check_boxes() reports the reason */
		doctor_report(doctor, VERDICT_OK, "machine", NULL,
			      "a virtual machine without uncore boxes");
	else if (uncore_passed(doctor))
		doctor_report(doctor, VERDICT_OK, "machine", NULL,
			      "a virtual machine with uncore boxes");
	else
		doctor_report(doctor, VERDICT_WARNING, "machine",
			      "'ucoretool verify' tests whether the boxes count",
			      "a virtual machine with uncore boxes, none of which has passed a self-test: some hypervisors ignore accesses to uncore registers");
}

/* ---- the module -------------------------------------------------------- */

/*
 * Write the lockdown level of the kernel to @level, "" if it is unknown.  Without securityfs, the
 * kernel command line may have the level.
 */
static void lockdown_level(const struct doctor *doctor, char *level, size_t size)
{
	char text[4096];
	const char *word = NULL;

	if (doctor_file_read(doctor, "/sys/kernel/security/lockdown", text, sizeof(text))) {
		word = strchr(text, '[');
		word += !!word;
	} else {
		doctor_file_read(doctor, "/proc/cmdline", text, sizeof(text));
		word = strstr(text, "lockdown=");
		word += word ? strlen("lockdown=") : 0;
	}
	snprintf(level, size, "%.*s", word ? (int)strcspn(word, "] \n") : 0, word ? word : "");
}

static void check_lockdown(struct doctor *doctor)
{
	char level[32];

	lockdown_level(doctor, level, sizeof(level));
	if (*level && strcmp(level, "none"))
		doctor_report(doctor, VERDICT_WARNING, "lockdown",
			      "sign ucore.ko with a key that the firmware trusts (mokutil --import), or disable Secure Boot",
			      "the kernel is locked down (%s, as with Secure Boot): it refuses unsigned modules",
			      level);
	else if (!*level && !doctor_file_exists(doctor, "/sys/kernel/security/lsm"))
		doctor_report(doctor, VERDICT_WARNING, "lockdown",
			      "mount -t securityfs none /sys/kernel/security, and run 'ucoretool doctor' again",
			      "securityfs is not mounted: it is unknown whether the kernel refuses unsigned modules (lockdown)");
}

/* Report the settings with which the kernel refuses modules */
static void check_refusal(struct doctor *doctor)
{
	char word[16];

	check_lockdown(doctor);
	doctor_file_read(doctor, "/sys/module/module/parameters/sig_enforce", word, sizeof(word));
	if (*word == 'Y')
		doctor_report(doctor, VERDICT_WARNING, "signature",
			      "sign ucore.ko with the kernel's scripts/sign-file and a trusted key",
			      "the kernel requires signed modules (module.sig_enforce)");
	doctor_file_read(doctor, "/proc/sys/kernel/modules_disabled", word, sizeof(word));
	if (*word == '1')
		doctor_report(doctor, VERDICT_PROBLEM, "modules",
			      "reboot, and load ucore before kernel.modules_disabled is set: the setting cannot be undone",
			      "the kernel refuses to load modules (kernel.modules_disabled = 1)");
}

static bool module_installed(const struct doctor *doctor)
{
	char release[128], path[256];

	doctor_file_read(doctor, "/proc/sys/kernel/osrelease", release, sizeof(release));
	release[strcspn(release, "\n")] = 0;
	if (!*release || strchr(release, '/'))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	return doctor_file_has_line(doctor, path, "", "/ucore.ko");
}

/* Report a kernel that is too old for the module, and return true */
static bool kernel_too_old(struct doctor *doctor)
{
	unsigned int major, minor;
	char release[128];

	doctor_file_read(doctor, "/proc/sys/kernel/osrelease", release, sizeof(release));
	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major > OLDEST_MAJOR ||
	    (major == OLDEST_MAJOR && minor >= OLDEST_MINOR))
		return false;
	doctor_report(doctor, VERDICT_PROBLEM, "kernel", "boot Linux 6.1 or newer",
		      "Linux %u.%u is too old for ucore", major, minor);
	return true;
}

bool doctor_check_module(struct doctor *doctor)
{
	/* an open device implies that the module is loaded */
	if (doctor->dev || doctor_file_exists(doctor, "/sys/module/ucore")) {
		doctor_report(doctor, VERDICT_OK, "module", NULL, "ucore is loaded");
		return true;
	}
	if (kernel_too_old(doctor))
		return false;
	if (module_installed(doctor))
		doctor_report(doctor, VERDICT_PROBLEM, "module",
			      "modprobe ucore; if that fails, see dmesg",
			      "ucore is installed for this kernel, but not loaded");
	else
		doctor_report(doctor, VERDICT_PROBLEM, "module",
			      "make && make install && depmod, then modprobe ucore; or insmod ucore.ko from the build directory",
			      "ucore is not loaded, and not installed for this kernel");
	check_refusal(doctor);
	return false;
}

void doctor_check_intree(struct doctor *doctor)
{
	bool module = doctor_file_has_line(doctor, "/proc/modules", "intel_uncore ", NULL);
	bool devices = doctor_directory_has(doctor, "/sys/bus/event_source/devices", "uncore_");
	bool holds = doctor->info ? doctor->info->state == UCORE_STATE_INTREE : devices;

	if (!holds && !module && !devices) {
		doctor_report(doctor, VERDICT_OK, "intree", NULL, "intel_uncore is not loaded");
		return;
	}
	doctor_report(doctor, holds ? VERDICT_PROBLEM : VERDICT_WARNING, "intree",
		      module || !devices ?
		      "modprobe -r intel_uncore, and 'blacklist intel_uncore' in /etc/modprobe.d" :
		      "intel_uncore is built into the kernel: boot with initcall_blacklist=intel_uncore_init",
		      holds ? "the kernel's own intel_uncore driver uses the hardware" :
			      "the kernel's own intel_uncore driver is loaded: it may acquire the hardware");
}

/* ---- the device node --------------------------------------------------- */

static void check_denied(struct doctor *doctor, const char *node)
{
	char path[512], advice[256], name[64] = "root";
	const struct group *group;
	struct stat st;

	doctor_path(doctor, node, path, sizeof(path));
	if (stat(path, &st)) {
		doctor_report(doctor, VERDICT_PROBLEM, "permission", "run as root",
			      "%s: permission denied", node);
		return;
	}
	group = getgrgid(st.st_gid);
	if (group)
		snprintf(name, sizeof(name), "%s", group->gr_name);
	else
		snprintf(name, sizeof(name), "%u", (unsigned int)st.st_gid);
	if ((st.st_mode & 060) == 060 && st.st_gid)
		snprintf(advice, sizeof(advice),
			 "join the group (usermod -aG %s USER) and log in again, or run as root",
			 name);
	else
		snprintf(advice, sizeof(advice), "%s",
			 "run as root, or add a udev rule for a group: KERNEL==\"ucore\", GROUP=\"ucore\", MODE=\"0660\"");
	doctor_report(doctor, VERDICT_PROBLEM, "permission", advice,
		      "%s: permission denied: mode %04o, group %s", node, st.st_mode & 07777, name);
}

void doctor_check_node(struct doctor *doctor, bool loaded)
{
	const char *node = doctor->tool->device ? doctor->tool->device : UCORE_DEVICE;

	switch (doctor->open_error) {
	case 0:
		doctor_report(doctor, VERDICT_OK, "device", NULL, "%s answers, ABI %u", node,
			      doctor->info->abi);
		break;
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		/* if the module is not loaded, doctor_check_module() has reported it */
		if (loaded)
			doctor_report(doctor, VERDICT_PROBLEM, "device",
				      "mount devtmpfs on /dev; in a container, pass the device to the container",
				      "the module is loaded, but %s does not exist", node);
		break;
	case -EACCES:
	case -EPERM:
		check_denied(doctor, node);
		break;
	case -EPROTO:
		doctor_report(doctor, VERDICT_PROBLEM, "abi",
			      "install module and tools of the same release: make install, then modprobe -r ucore; modprobe ucore",
			      "%s", doctor->open_text);
		break;
	default:
		doctor_report(doctor, VERDICT_PROBLEM, "device", "see dmesg", "%s",
			      doctor->open_text);
		break;
	}
}
