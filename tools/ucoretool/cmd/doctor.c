// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool doctor: what is missing on this machine, and what to do.  Looks at
 * the device and at files below --root (/), and changes nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "output/domain.h"
#include "output/table.h"
#include "output/address.h"
#include "tool.h"

#define CAP_SYS_ADMIN_BIT	21
#define CAP_PERFMON_BIT		38

enum verdict {
	VERDICT_OK,
	VERDICT_WARNING,
	VERDICT_PROBLEM,
};

struct doctor_args {
	const char *root;
	struct out out;
};

/* The patient, and the findings so far */
struct doctor {
	struct tool *tool;
	const char *root;
	struct out out;
	unsigned int count[VERDICT_PROBLEM + 1];
	struct ucore_device *dev;	/* NULL if it could not be opened ... */
	int open_error;			/* ... for this reason */
	char open_text[UCORE_ERROR_LEN];
	const struct ucore_get_info *info;
	bool virtual;
	bool known_discovery;		/* a model whose boxes come from discovery */
};

static const struct option_desc doctor_options[] = {
	{ 'j', "json", NULL, "JSON lines" },
	{ OPT_ROOT, "root", "DIR", "look for /proc, /sys, /lib and /dev below DIR" },
	{ 0 },
};

static int doctor_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct doctor_args *args = data;

	(void)tool;
	if (letter == OPT_ROOT)
		args->root = value;
	else
		args->out.format = OUT_JSON;
	return 0;
}

static int doctor_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct doctor_args *args = data;

	args->out.stream = stdout;
	if (!args->root)
		args->root = "";
	return argc ? tool_usage(tool, "'%s' is one word too many", argv[0]) : 0;
}

/* ---- findings ---------------------------------------------------------- */

/* One finding; @advice is what to do about it, NULL when all is well */
static void __attribute__((format(printf, 5, 6)))
finding(struct doctor *doctor, enum verdict verdict, const char *check, const char *advice,
	const char *format, ...)
{
	static const char *const names[] = { "ok", "warning", "problem" };
	struct out *out = &doctor->out;
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	doctor->count[verdict]++;
	if (out->format != OUT_JSON) {
		fprintf(out->stream, "%-8s %-10s %s\n", names[verdict], check, text);
		if (advice)
			fprintf(out->stream, "%-8s %-10s -> %s\n", "", "", advice);
		return;
	}
	json_line_begin(out);
	json_text(out, "result", names[verdict]);
	json_text(out, "check", check);
	json_text(out, "text", text);
	if (advice)
		json_text(out, "advice", advice);
	json_line_end(out);
}

/* ---- files ------------------------------------------------------------- */

static void root_path(const struct doctor *doctor, const char *path, char *text, size_t size)
{
	snprintf(text, size, "%s%s", doctor->root, path);
}

static bool file_exists(const struct doctor *doctor, const char *path)
{
	char name[512];

	root_path(doctor, path, name, sizeof(name));
	return !access(name, F_OK);
}

/* The beginning of a file as text, empty if it cannot be read */
static bool file_read(const struct doctor *doctor, const char *path, char *text, size_t size)
{
	char name[512];
	FILE *stream;
	size_t length;

	*text = 0;
	root_path(doctor, path, name, sizeof(name));
	stream = fopen(name, "re");
	if (!stream)
		return false;
	length = fread(text, 1, size - 1, stream);
	text[length] = 0;
	fclose(stream);
	return true;
}

/* Does a line of the file begin with these letters?  The file may be large */
static bool file_has_line(const struct doctor *doctor, const char *path, const char *start,
			  const char *inside)
{
	char name[512], line[1024];
	bool found = false;
	FILE *stream;

	root_path(doctor, path, name, sizeof(name));
	stream = fopen(name, "re");
	if (!stream)
		return false;
	while (!found && fgets(line, sizeof(line), stream))
		found = !strncmp(line, start, strlen(start)) && (!inside || strstr(line, inside));
	fclose(stream);
	return found;
}

static bool directory_has(const struct doctor *doctor, const char *path, const char *start)
{
	struct dirent *entry;
	bool found = false;
	char name[512];
	DIR *dir;

	root_path(doctor, path, name, sizeof(name));
	dir = opendir(name);
	while (dir && !found && (entry = readdir(dir)))
		found = !strncmp(entry->d_name, start, strlen(start));
	if (dir)
		closedir(dir);
	return found;
}

/* Number behind "key<blanks>:" in /proc/cpuinfo, -1 if it is not there */
static long cpuinfo_number(const char *cpuinfo, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = cpuinfo; line; line = strchr(line, '\n')) {
		const char *colon;

		line += *line == '\n';
		if (strncmp(line, key, length))
			continue;
		/* "model name" is another key than "model" */
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

/* ---- the machine ------------------------------------------------------- */

static void check_model(struct doctor *doctor, long family, long number, long stepping)
{
	const struct ucore_model *model = NULL;

	if (family >= 0 && number >= 0)
		model = ucore_model_find((uint32_t)family, (uint32_t)number,
					 stepping < 0 ? 0 : (uint32_t)stepping);
	if (model) {
		doctor->known_discovery = model->discovery;
		finding(doctor, VERDICT_OK, "processor", NULL, "Intel family %ld model %ld: %s",
			family, number, model->name);
		return;
	}
	finding(doctor, VERDICT_WARNING, "processor",
		"count raw events (type_N/event=1,umask=2/) and compare 'ucoretool info --discovery' with the manual",
		"Intel family %ld model %ld is not in ucore's list: only what its discovery tables show can be used",
		family, number);
}

static void check_processor(struct doctor *doctor)
{
	char cpuinfo[16384];

	file_read(doctor, "/proc/cpuinfo", cpuinfo, sizeof(cpuinfo));
	if (!*cpuinfo) {
		finding(doctor, VERDICT_WARNING, "processor", "mount /proc",
			"/proc/cpuinfo cannot be read");
		return;
	}
	doctor->virtual = has_word(cpuinfo, "hypervisor");
	if (!strstr(cpuinfo, "GenuineIntel")) {
		finding(doctor, VERDICT_PROBLEM, "processor",
			"use ucore on a machine with an Intel Xeon",
			"not an Intel processor: ucore knows Intel's uncore monitors only");
		return;
	}
	check_model(doctor, cpuinfo_number(cpuinfo, "cpu family"),
		    cpuinfo_number(cpuinfo, "model"), cpuinfo_number(cpuinfo, "stepping"));
}

static void check_virtual(struct doctor *doctor)
{
	if (!doctor->virtual)
		return;
	if (doctor->info && doctor->info->nr_boxes)
		finding(doctor, VERDICT_OK, "machine", NULL,
			"a virtual machine, but one that shows uncore boxes");
	else
		finding(doctor, VERDICT_WARNING, "machine",
			"run ucore on the host: guests rarely see uncore registers",
			"a virtual machine (cpuid says hypervisor)");
}

/* ---- the module -------------------------------------------------------- */

static void check_lockdown(struct doctor *doctor)
{
	char lockdown[128], word[16];

	file_read(doctor, "/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	if (*lockdown && !strstr(lockdown, "[none]") &&
	    strchr(lockdown, '[') && sscanf(strchr(lockdown, '['), "[%15[a-z]", word) == 1)
		finding(doctor, VERDICT_WARNING, "lockdown",
			"sign ucore.ko with a key that the firmware trusts (mokutil --import), or switch Secure Boot off",
			"the kernel is locked down (%s, as with Secure Boot): it refuses unsigned modules",
			word);
	file_read(doctor, "/sys/module/module/parameters/sig_enforce", word, sizeof(word));
	if (*word == 'Y')
		finding(doctor, VERDICT_WARNING, "signature",
			"sign ucore.ko with the kernel's scripts/sign-file and a trusted key",
			"the kernel demands signed modules (module.sig_enforce)");
	file_read(doctor, "/proc/sys/kernel/modules_disabled", word, sizeof(word));
	if (*word == '1')
		finding(doctor, VERDICT_PROBLEM, "modules",
			"load ucore before kernel.modules_disabled is set, and reboot: it cannot be taken back",
			"the kernel loads no more modules (kernel.modules_disabled = 1)");
}

static bool module_installed(const struct doctor *doctor)
{
	char release[128], path[256];

	file_read(doctor, "/proc/sys/kernel/osrelease", release, sizeof(release));
	release[strcspn(release, "\n")] = 0;
	if (!*release || strchr(release, '/'))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	return file_has_line(doctor, path, "", "/ucore.ko");
}

/* Is the module there?  A device that opens is proof enough */
static bool check_module(struct doctor *doctor)
{
	if (doctor->dev || file_exists(doctor, "/sys/module/ucore")) {
		finding(doctor, VERDICT_OK, "module", NULL, "ucore is loaded");
		return true;
	}
	if (module_installed(doctor))
		finding(doctor, VERDICT_PROBLEM, "module",
			"modprobe ucore; if that fails, dmesg says why",
			"ucore is installed for this kernel, but not loaded");
	else
		finding(doctor, VERDICT_PROBLEM, "module",
			"make && make install && depmod, then modprobe ucore; or insmod ucore.ko from the build directory",
			"ucore is not loaded, and not installed for this kernel");
	check_lockdown(doctor);
	return false;
}

static void check_intree(struct doctor *doctor)
{
	bool module = file_has_line(doctor, "/proc/modules", "intel_uncore ", NULL);
	bool devices = directory_has(doctor, "/sys/bus/event_source/devices", "uncore_");
	bool holds = doctor->info ? doctor->info->state == UCORE_STATE_INTREE : devices;

	if (!holds && !module && !devices) {
		finding(doctor, VERDICT_OK, "intree", NULL, "intel_uncore is not loaded");
		return;
	}
	finding(doctor, holds ? VERDICT_PROBLEM : VERDICT_WARNING, "intree",
		module || !devices ?
		"modprobe -r intel_uncore, and 'blacklist intel_uncore' in /etc/modprobe.d" :
		"it is built into the kernel: boot with initcall_blacklist=intel_uncore_init",
		holds ? "the kernel's own intel_uncore driver holds the hardware" :
			"the kernel's own intel_uncore driver is loaded: it may take the hardware");
}

/* ---- the device node --------------------------------------------------- */

static void check_denied(struct doctor *doctor, const char *node)
{
	char path[512], advice[256], who[64] = "root";
	const struct group *group;
	struct stat st;

	root_path(doctor, node, path, sizeof(path));
	if (stat(path, &st)) {
		finding(doctor, VERDICT_PROBLEM, "permission", "run as root",
			"%s may not be opened", node);
		return;
	}
	group = getgrgid(st.st_gid);
	if (group)
		snprintf(who, sizeof(who), "%s", group->gr_name);
	else
		snprintf(who, sizeof(who), "%u", (unsigned int)st.st_gid);
	if ((st.st_mode & 060) == 060 && st.st_gid)
		snprintf(advice, sizeof(advice),
			 "join the group (usermod -aG %s USER) and log in again, or run as root",
			 who);
	else
		snprintf(advice, sizeof(advice), "%s",
			 "run as root, or let a group in by a udev rule: KERNEL==\"ucore\", GROUP=\"perf\", MODE=\"0660\"");
	finding(doctor, VERDICT_PROBLEM, "permission", advice,
		"%s may not be opened: mode %04o, group %s", node, st.st_mode & 07777, who);
}

static void check_node(struct doctor *doctor, bool loaded)
{
	const char *node = doctor->tool->device ? doctor->tool->device : UCORE_DEVICE;

	switch (doctor->open_error) {
	case 0:
		finding(doctor, VERDICT_OK, "device", NULL, "%s answers, ABI %u", node,
			doctor->info->abi);
		break;
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		/* without the module that goes without saying */
		if (loaded)
			finding(doctor, VERDICT_PROBLEM, "device",
				"mount devtmpfs on /dev; in a container, hand the device in",
				"the module is loaded, but there is no %s", node);
		break;
	case -EACCES:
	case -EPERM:
		check_denied(doctor, node);
		break;
	case -EPROTO:
		finding(doctor, VERDICT_PROBLEM, "abi",
			"install module and tools of the same release: make install, then modprobe -r ucore; modprobe ucore",
			"%s", doctor->open_text);
		break;
	default:
		finding(doctor, VERDICT_PROBLEM, "device", "look at dmesg", "%s",
			doctor->open_text);
		break;
	}
}

/* ---- what the driver says ---------------------------------------------- */

static void check_boxes(struct doctor *doctor)
{
	const struct ucore_get_info *info = doctor->info;
	static const char hidden[] =
		"look for BIOS options that hide uncore devices or PMON discovery; reboot";
	static const char unknown[] =
		"use ucore on a processor that it knows, or on one with discovery tables";
	struct domain_sum sum = domain_sum_device(doctor->dev);
	const struct ucore_box_info *boxes;
	char domains[DOMAIN_SUM_LEN];
	unsigned int dead = 0;
	size_t nr;

	domain_sum_text(&sum, domains, sizeof(domains));
	boxes = ucore_device_boxes(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++)
		dead += !!(boxes[i].caps & UCORE_BOX_F_DEAD);
	if (info->state == UCORE_STATE_READY && nr)
		finding(doctor, *info->reason ? VERDICT_WARNING : VERDICT_OK, "boxes",
			*info->reason ? "'ucoretool list' shows what there is" : NULL,
			"%u boxes on %s, platform %s%s%s", info->nr_boxes, domains,
			*info->platform ? info->platform : "unknown",
			*info->reason ? ": " : "", info->reason);
	else if (info->state != UCORE_STATE_INTREE)
		finding(doctor, VERDICT_PROBLEM, "boxes",
			info->state == UCORE_STATE_HIDDEN ? hidden : unknown,
			"no boxes: %s", *info->reason ? info->reason : "the driver does not say why");
	if (dead)
		finding(doctor, VERDICT_WARNING, "boxes",
			"reload the module (modprobe -r ucore; modprobe ucore); if they stay dead, reboot",
			"%u boxes stopped answering: 'ucoretool list' marks them DEAD", dead);
}

static void check_domains(struct doctor *doctor)
{
	static const char advice[] =
		"bring a CPU of it online: echo 1 > /sys/devices/system/cpu/cpuN/online";
	const struct ucore_domain_info *domains;
	unsigned int offline = 0;
	size_t nr;

	domains = ucore_device_domains(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (domains[i].reader >= 0)
			continue;
		if (domains[i].scope == UCORE_SCOPE_CPU)
			offline++;
		else
			finding(doctor, VERDICT_WARNING, "dies", advice,
				"die %u has no CPU online: its counters stand still",
				domains[i].die);
	}
	/* CPUs that are switched off are many and no fault */
	if (offline)
		finding(doctor, VERDICT_OK, "cpus", NULL,
			"%u CPUs are offline: their own counters stand still", offline);
}

/* Holes, and what is known to be wrong with a table, need no doctor */
static bool unit_worries(const struct ucore_unit_info *unit)
{
	return unit->reason != UCORE_UNIT_OK && unit->reason != UCORE_UNIT_ZERO &&
	       unit->reason != UCORE_UNIT_BEYOND_COUNT && unit->reason != UCORE_UNIT_RELOCATED;
}

static void check_units(struct doctor *doctor, const struct ucore_discovery *discovery)
{
	const struct ucore_unit_info *units;
	size_t nr, rejected = 0, worries = 0;

	units = ucore_discovery_units(discovery, &nr);
	for (size_t i = 0; i < nr; i++) {
		rejected += units[i].reason != UCORE_UNIT_OK;
		worries += unit_worries(&units[i]);
	}
	if (worries)
		finding(doctor, VERDICT_WARNING, "units",
			"'ucoretool list --rejected' says which and why; 'ucoretool info --discovery' goes into a bug report",
			"%zu of %zu units in the discovery tables cannot be used", worries, nr);
	else
		finding(doctor, VERDICT_OK, "units", NULL,
			"%zu units in the discovery tables; %zu holes, or known to be wrong, are no loss",
			nr, rejected);
}

static void check_tables(struct doctor *doctor, const struct ucore_discovery *discovery)
{
	const struct ucore_table_info *tables;
	size_t nr;

	tables = ucore_discovery_tables(discovery, &nr);
	if (!nr)
		finding(doctor, VERDICT_PROBLEM, "discovery",
			"enable PMON discovery (\"uncore\" or \"PMON\" options) in the BIOS, update the BIOS, or look whether it hides PCI functions",
			"this processor describes its boxes in discovery tables, and firmware shows none");
	for (size_t i = 0; i < nr; i++) {
		char where[48];

		if (tables[i].reason == UCORE_TABLE_OK || tables[i].reason == UCORE_TABLE_DUPLICATE)
			continue;
		table_place_text(&tables[i], where, sizeof(where));
		finding(doctor, VERDICT_WARNING, "discovery",
			"update the BIOS; send 'ucoretool info --discovery' with a bug report",
			"discovery table %u (%s) is not used: %s", tables[i].table, where,
			ucore_table_reason(tables[i].reason));
	}
}

static void check_discovery(struct doctor *doctor)
{
	struct ucore_discovery *discovery;
	size_t nr;

	if (!(doctor->info->caps & UCORE_CAP_DISCOVERY) && !doctor->known_discovery)
		return;
	if (ucore_discovery_get(doctor->dev, &discovery, &doctor->tool->err)) {
		finding(doctor, VERDICT_PROBLEM, "discovery", "look at dmesg", "%s",
			doctor->tool->err.text);
		return;
	}
	check_tables(doctor, discovery);
	ucore_discovery_units(discovery, &nr);
	if (nr)
		check_units(doctor, discovery);
	ucore_discovery_free(discovery);
}

static void check_overflow(struct doctor *doctor)
{
	uint32_t caps = doctor->info->caps;

	if (!domain_sum_device(doctor->dev).dies)
		return;
	if (!(caps & UCORE_CAP_OVERFLOW_PMI))
		finding(doctor, VERDICT_WARNING, "overflow",
			"sample by a timer ('ucoretool record --timer 1ms'), or let -c N be polled",
			"this platform offers no overflow interrupt that is publicly documented");
	else
		finding(doctor, VERDICT_OK, "overflow", NULL, "overflow interrupts are available");
}

static void check_core(struct doctor *doctor)
{
	struct ucore_get_core core;

	if (ucore_device_core(doctor->dev, &core, NULL))
		return;
	if (core.state == UCORE_CORE_READY)
		finding(doctor, VERDICT_OK, "cores", NULL,
			"the cores' own counters can be had (version %u)", core.version);
	else
		finding(doctor, VERDICT_OK, "cores", NULL, "the cores' own counters: %s",
			core.reason);
}

/* ---- who else is there ------------------------------------------------- */

#define BOXES_SHOWN	4

/* "imc0 of die 0 and 3 more": the boxes of which a session is the oldest; how many */
static unsigned int boxes_text(const struct doctor *doctor, uint64_t session, char *text,
			       size_t size)
{
	const struct ucore_box_info *boxes;
	char domain[UCORE_DOMAIN_NAME_LEN];
	unsigned int n = 0;
	size_t nr, len = 0;

	boxes = ucore_device_boxes(doctor->dev, &nr);
	*text = 0;
	for (size_t i = 0; i < nr; i++) {
		if (boxes[i].owner != session || n++ >= BOXES_SHOWN)
			continue;
		ucore_domain_name(boxes[i].die, boxes[i].cpu, domain, sizeof(domain));
		snprintf(text + len, size - len, "%s%s%u of %s", n > 1 ? ", " : "",
			 boxes[i].type, boxes[i].instance, domain);
		len = strlen(text);
	}
	if (n > BOXES_SHOWN)
		snprintf(text + len, size - len, " and %u more", n - BOXES_SHOWN);
	return n;
}

/* ", " before each but the first */
__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t size, const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len)
		snprintf(text + len, size - len, ", ");
	len = strlen(text);
	va_start(args, format);
	vsnprintf(text + len, size - len, format, args);
	va_end(args);
}

/* What a session holds: boxes, its own and others', what is routed for it, rings, timer */
static void holdings_text(const struct doctor *doctor, const struct ucore_session_info *session,
			  char *text, size_t size)
{
	unsigned int own = boxes_text(doctor, session->session, text, size);

	if (session->nr_boxes > own)
		append(text, size, "counters of %u box%s that others have, too",
		       session->nr_boxes - own, session->nr_boxes - own > 1 ? "es" : "");
	if (session->nr_pinned)
		append(text, size, "the PMI CPUs of %u die%s", session->nr_pinned,
		       session->nr_pinned > 1 ? "s" : "");
	if (session->nr_domains && session->ring_size)
		append(text, size, "%u ring%s of %u KiB", session->nr_domains,
		       session->nr_domains > 1 ? "s" : "", session->ring_size / 1024);
	if (session->timer_ns && session->state == UCORE_SESSION_RUNNING)
		append(text, size, "a timer of %llu us",
		       (unsigned long long)session->timer_ns / 1000);
	if (!*text)
		append(text, size, "nothing but the module, which stays for it");
}

static bool process_is_gone(const struct doctor *doctor, uint32_t pid)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/proc/%u", doctor->root, pid);
	return pid && access(path, F_OK);
}

static const char *state_text(uint32_t state)
{
	switch (state) {
	case UCORE_SESSION_RUNNING:
		return "running";
	case UCORE_SESSION_REVOKED:
		return "ended";
	default:
		return "stopped";
	}
}

static void check_session(struct doctor *doctor, const struct ucore_session_info *session)
{
	bool gone = process_is_gone(doctor, session->pid);
	bool lost = gone && (session->nr_boxes || session->nr_pinned);
	char holdings[400], advice[120];

	holdings_text(doctor, session, holdings, sizeof(holdings));
	snprintf(advice, sizeof(advice),
		 "another process may have its descriptor; to free them: ucoretool revoke %llu",
		 (unsigned long long)session->session);
	finding(doctor, lost ? VERDICT_WARNING : VERDICT_OK, "session", lost ? advice : NULL,
		"session %llu of %s (pid %u%s, user %u), %s, holds %s",
		(unsigned long long)session->session, session->comm, session->pid,
		gone ? ", gone" : "", session->uid,
		state_text(session->state), holdings);
}

static void check_sessions(struct doctor *doctor)
{
	struct ucore_session_info *sessions;
	size_t nr;

	if (ucore_device_sessions(doctor->dev, &sessions, &nr, NULL))
		return;
	for (size_t i = 0; i < nr; i++)
		check_session(doctor, &sessions[i]);
	free(sessions);
}

/**
 * struct oddities - boxes of which selftests or the guard have found the same
 * @first: the first of them
 * @nr: how many
 */
struct oddities {
	const struct ucore_box_info *first;
	unsigned int nr;
};

static void oddity_add(struct oddities *o, const struct ucore_box_info *box)
{
	o->first = o->first ? o->first : box;
	o->nr++;
}

static void oddities_find(struct doctor *doctor, const struct oddities *o, const char *what,
			  const char *hint, const char *text)
{
	if (o->first)
		finding(doctor, VERDICT_WARNING, what, hint, "%u box%s: %s%u of die %u%s: %s",
			o->nr, o->nr > 1 ? "es" : "", o->first->type, o->first->instance,
			o->first->die, o->nr > 1 ? " and others" : "", text);
}

/* What the driver has found of boxes that were used since it was loaded */
static void check_selftests(struct doctor *doctor)
{
	struct oddities failed = { 0 }, global = { 0 }, control = { 0 }, changed = { 0 };
	const struct ucore_box_info *boxes;
	char reason[UCORE_REASON_LEN] = "";
	struct ucore_get_selftest selftest;
	size_t nr;

	boxes = ucore_device_boxes(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (ucore_device_selftest(doctor->dev, boxes[i].box, &selftest, NULL))
			return;
		if (*selftest.reason) {
			if (!failed.nr)
				memcpy(reason, selftest.reason, sizeof(reason));
			oddity_add(&failed, &boxes[i]);
		}
		if (selftest.found & UCORE_FOUND_GLOBAL)
			oddity_add(&global, &boxes[i]);
		if (selftest.found & UCORE_FOUND_CONTROL)
			oddity_add(&control, &boxes[i]);
		if (selftest.found & UCORE_FOUND_CONFLICT)
			oddity_add(&changed, &boxes[i]);
	}
	oddities_find(doctor, &failed, "self-tests",
		      "'ucoretool verify' tries all boxes, and writes a report", reason);
	oddities_find(doctor, &global, "owners",
		      "nothing, if firmware did that; else end what counts there (Intel PCM, LIKWID, VTune)",
		      "global control was not zero when ucore came");
	oddities_find(doctor, &control, "owners", "end what counts there (Intel PCM, LIKWID, VTune)",
		      "a control was not zero when ucore came: another program uses it, or has");
	oddities_find(doctor, &changed, "owners",
		      "end what writes there (Intel PCM, LIKWID, VTune, wrmsr); counts marked 'changed' are of no use",
		      "another program or firmware wrote controls while sessions counted");
}

/* ---- who we are -------------------------------------------------------- */

static void check_context(struct doctor *doctor)
{
	unsigned long long caps = 0;
	char status[8192];
	const char *line;

	file_read(doctor, "/proc/self/status", status, sizeof(status));
	line = strstr(status, "\nCapEff:");
	if (!line || sscanf(line, "\nCapEff: %llx", &caps) != 1)
		return;
	if (caps >> CAP_PERFMON_BIT & 1 || caps >> CAP_SYS_ADMIN_BIT & 1)
		finding(doctor, VERDICT_OK, "context", NULL,
			"samples tell what they interrupted (CAP_PERFMON)");
	else
		finding(doctor, VERDICT_WARNING, "context",
			"setcap cap_perfmon+ep on ucoretool, or run as root, to have them",
			"without CAP_PERFMON samples carry no ip, pid and tid, and events of cores and filters by address, core, thread or opcode are refused");
}

static void check_paranoid(struct doctor *doctor)
{
	char level[16];

	file_read(doctor, "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level));
	level[strcspn(level, "\n")] = 0;
	if (*level)
		finding(doctor, VERDICT_OK, "paranoid", NULL,
			"kernel.perf_event_paranoid = %s does not matter: the device node's mode and CAP_PERFMON decide",
			level);
}

/* ---- run --------------------------------------------------------------- */

static void device_open(struct doctor *doctor)
{
	struct tool *tool = doctor->tool;

	doctor->open_error = ucore_device_open(tool->device, tool->sys, &doctor->dev, &tool->err);
	if (doctor->open_error) {
		doctor->dev = NULL;
		snprintf(doctor->open_text, sizeof(doctor->open_text), "%s", tool->err.text);
	} else {
		doctor->info = ucore_device_info(doctor->dev);
	}
}

static void summary(struct doctor *doctor)
{
	struct out *out = &doctor->out;

	if (out->format != OUT_JSON) {
		fprintf(out->stream, "# problems: %u, warnings: %u\n",
			doctor->count[VERDICT_PROBLEM], doctor->count[VERDICT_WARNING]);
		return;
	}
	json_line_begin(out);
	json_begin(out, "summary", '{');
	json_number(out, "problems", doctor->count[VERDICT_PROBLEM]);
	json_number(out, "warnings", doctor->count[VERDICT_WARNING]);
	json_end(out, '}');
	json_line_end(out);
}

static int doctor_run(struct tool *tool, const void *data)
{
	const struct doctor_args *args = data;
	struct doctor doctor = { .tool = tool, .root = args->root, .out = args->out };
	bool loaded;

	device_open(&doctor);
	check_processor(&doctor);
	check_virtual(&doctor);
	loaded = check_module(&doctor);
	check_intree(&doctor);
	check_node(&doctor, loaded);
	if (doctor.dev) {
		check_boxes(&doctor);
		check_discovery(&doctor);
		check_domains(&doctor);
		check_overflow(&doctor);
		check_core(&doctor);
		check_sessions(&doctor);
		check_selftests(&doctor);
	}
	check_context(&doctor);
	check_paranoid(&doctor);
	summary(&doctor);
	ucore_device_close(doctor.dev);
	return doctor.count[VERDICT_PROBLEM] ? EXIT_FAILURE : 0;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "what is missing on this machine, and what to do about it",
	.options = doctor_options,
	.args_size = sizeof(struct doctor_args),
	.option = doctor_option,
	.finish = doctor_finish,
	.run = doctor_run,
};
