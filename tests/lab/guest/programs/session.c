// SPDX-License-Identifier: GPL-2.0-only
/*
 * One ucore session, controlled by a test: reads commands from stdin, one per line, and answers
 * each with one line of JSON, "errno" first.
 *
 *	boxes
 *	create [timer=NS] [ring=BYTES] [wakeup=BYTES] [rotate=NS] [readers=N] [full-reads]
 *	       [boxes] [tasks] [no-pmi]
 *	add BOX COUNTERS PERIOD [group=N] [FIELD=VALUE]...   BOX is a box id
 *	fill [FIELD=VALUE]...   adds an event on every counter of every box, in order; VALUE+
 *	                     is VALUE plus the number of the counter; fixed counters have no
 *	                     fields, free-running counters are left out
 *	trigger TYPE CONFIG PERIOD [cpu=N] [tid=N] [user]
 *	cpu N..., start, stop, reset
 *	read, live           values and domains; live reads without a freeze
 *	burst N              N reads with a freeze, one immediately after the other
 *	reads NS             reads with a freeze for NS; prints their number
 *	storm NS [CPU]       repeats STOP, SET_PMI_CPUS, START, RESET for NS
 *	status, budget
 *	drain                reads and consumes the records of the rings
 *	quit
 *
 * Tests use it for functions that ucoretool lacks, and to inspect the machine between commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ucore.h"

#define MAX_BOXES	2048
#define MAX_DOMAINS	8
#define MAX_EVENTS	8192
#define MAX_TERMS	32
#define MAX_FIELDS	64
#define MAX_WORDS	(MAX_TERMS + 4)

struct ring {
	struct ucore_ring_consumer *consumer;
	struct ucore_ring_producer *producer;
	const char *data;
	uint32_t size;
};

static int device;
static int session = -1;
static struct ring rings[MAX_DOMAINS];

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

/* "name=value" -> value; NULL if the word is about something else */
static const char *option(const char *word, const char *name)
{
	size_t len = strlen(name);

	return strncmp(word, name, len) || word[len] != '=' ? NULL : word + len + 1;
}

static void answer_errno(int ret)
{
	printf("{\"errno\":%d}\n", ret ? errno : 0);
}

static struct ucore_box_info boxes[MAX_BOXES];

/* Return: how many, or -1 */
static int get_boxes(void)
{
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = MAX_BOXES, .boxes = (uintptr_t)boxes,
	};

	return ioctl(device, UCORE_GET_BOXES, &get) ? -1 : (int)get.nr;
}

static void list_boxes(void)
{
	int i, nr = get_boxes();

	printf("{\"errno\":%d,\"boxes\":[", nr < 0 ? errno : 0);
	for (i = 0; i < nr; i++)
		printf("%s{\"box\":%u,\"domain\":%u,\"die\":%u,\"cpu\":%d,\"name\":\"%s%u\","
		       "\"caps\":%u,\"counters\":%u,\"fixed\":%u}", i ? "," : "",
		       boxes[i].box, boxes[i].domain, boxes[i].die, boxes[i].cpu,
		       boxes[i].type, boxes[i].instance, boxes[i].flags,
		       boxes[i].nr_counters, boxes[i].nr_fixed);
	printf("]}\n");
}

/* Results of the self-test of a box */
static void selftest(uint32_t box)
{
	struct ucore_get_selftest get = { .size = sizeof(get), .box = box };
	int ret = ioctl(device, UCORE_GET_SELFTEST, &get);

	printf("{\"errno\":%d,\"tested\":%u,\"failed\":%u,\"missing\":%u,\"reads\":%u,\"writes\":%u,\"reason\":\"%s\"}\n",
	       ret ? errno : 0, get.tested, get.failed, get.missing, get.reads, get.writes,
	       get.reason);
}

/* ---- a session and its events ---- */

static void create(char **word, int n)
{
	struct ucore_create_session create = { .size = sizeof(create) };
	const char *value;
	int i, ret;

	for (i = 1; i < n; i++) {
		value = strchr(word[i], '=');
		value = value ? value + 1 : "";
		if (option(word[i], "timer"))
			create.timer_ns = number(value);
		else if (option(word[i], "ring"))
			create.ring_size = number(value);
		else if (option(word[i], "wakeup"))
			create.wakeup = number(value);
		else if (option(word[i], "rotate"))
			create.rotate_ns = number(value);
		else if (option(word[i], "readers"))
			create.nr_readers = (uint32_t)number(value);
		else if (!strcmp(word[i], "full-reads"))
			create.flags |= UCORE_SESSION_F_FULL_READS;
		else if (!strcmp(word[i], "boxes"))
			create.flags |= UCORE_SESSION_F_BOX_FREEZE;
		else if (!strcmp(word[i], "tasks"))
			create.flags |= UCORE_SESSION_F_TASKS;
		else if (!strcmp(word[i], "no-pmi"))
			create.flags |= UCORE_SESSION_F_NO_PMI;
		else if (!strcmp(word[i], "multiplex"))
			create.flags |= UCORE_SESSION_F_MULTIPLEX;
	}
	ret = ioctl(device, UCORE_CREATE_SESSION, &create);
	if (!ret)
		session = create.fd;
	answer_errno(ret);
}

static void trigger(char **word, int n)
{
	struct ucore_add_core_trigger trigger = {
		.size = sizeof(trigger), .type = (uint32_t)number(word[1]), .cpu = -1,
		.config = number(word[2]), .period = number(word[3]),
	};

	for (int i = 4; i < n; i++) {
		if (option(word[i], "cpu"))
			trigger.cpu = atoi(option(word[i], "cpu"));
		else if (option(word[i], "tid"))
			trigger.tid = (uint32_t)number(option(word[i], "tid"));
		else if (!strcmp(word[i], "user"))
			trigger.flags |= UCORE_CORE_TRIGGER_F_USER;
	}
	answer_errno(ioctl(session, UCORE_ADD_CORE_TRIGGER, &trigger));
}

static uint32_t field_id(uint32_t box, const char *name, size_t len)
{
	struct ucore_field_info fields[MAX_FIELDS];
	struct ucore_get_fields get = {
		.size = sizeof(get), .box = box, .nr = MAX_FIELDS,
		.fields = (uintptr_t)fields,
	};
	uint32_t i;

	if (ioctl(device, UCORE_GET_FIELDS, &get))
		return 0;
	for (i = 0; i < get.nr; i++)
		if (strlen(fields[i].name) == len && !strncmp(fields[i].name, name, len))
			return fields[i].field;
	return 0;	/* no field: the driver returns EINVAL */
}

/* FIELD=VALUE words as terms of @add; VALUE+ adds @counter */
static void put_terms(struct ucore_add_event *add, struct ucore_term *terms, char **word, int n,
		      uint32_t counter)
{
	int i;

	memset(terms, 0, MAX_TERMS * sizeof(*terms));
	add->terms = (uintptr_t)terms;
	for (i = 0; i < n; i++) {
		const char *eq = strchr(word[i], '=');
		struct ucore_term *term = &terms[add->nr_terms++];

		term->field = field_id(add->box, word[i], eq - word[i]);
		term->value = number(eq + 1) + (strchr(eq, '+') ? counter : 0);
	}
}

/* A period that ends with ! must end by an interrupt. */
static void add(char **word, int n)
{
	struct ucore_term terms[MAX_TERMS];
	struct ucore_add_event add = {
		.size = sizeof(add), .box = number(word[1]),
		.flags = strchr(word[3], '!') ? UCORE_EVENT_F_NO_POLL : 0,
		.counters = number(word[2]), .period = number(word[3]),
	};
	int ret, first = 4;

	if (n > 4 && option(word[4], "group"))
		add.group = number(option(word[first++], "group"));
	put_terms(&add, terms, word + first, n - first, 0);
	ret = ioctl(session, UCORE_ADD_EVENT, &add);
	printf("{\"errno\":%d,\"event\":%u,\"counter\":%u,\"poll_ns\":%llu}\n", ret ? errno : 0,
	       add.event, add.counter, (unsigned long long)add.poll_ns);
}

/* Add one event on each counter of a box from @first on; fields apply to general counters only */
static int fill_counters(uint32_t box, uint32_t first, uint32_t nr, char **word, int n)
{
	struct ucore_term terms[MAX_TERMS];
	uint32_t i;

	for (i = first; i < first + nr; i++) {
		struct ucore_add_event add = {
			.size = sizeof(add), .box = box, .counters = 1ULL << i,
		};

		if (first < UCORE_COUNTER_FIXED)
			put_terms(&add, terms, word, n, i);
		if (ioctl(session, UCORE_ADD_EVENT, &add))
			return -1;
	}
	return 0;
}

static void fill(char **word, int n)
{
	int i, ret = 0, nr = get_boxes();
	uint32_t events = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (boxes[i].flags & (UCORE_BOX_F_FREE_RUNNING | UCORE_BOX_F_ABSENT))
			continue;
		ret = fill_counters(i, 0, boxes[i].nr_counters, word + 1, n - 1);
		if (!ret)
			ret = fill_counters(i, UCORE_COUNTER_FIXED, boxes[i].nr_fixed, NULL, 0);
		events += boxes[i].nr_counters + boxes[i].nr_fixed;
	}
	printf("{\"errno\":%d,\"events\":%u}\n", ret ? errno : 0, events);
}

static void set_cpus(char **word, int n)
{
	uint32_t cpus[UCORE_PMI_CPUS_MAX];
	struct ucore_set_pmi_cpus set = {
		.size = sizeof(set), .nr = n - 1, .cpus = (uintptr_t)cpus,
	};
	int i;

	for (i = 0; i < n - 1 && i < UCORE_PMI_CPUS_MAX; i++)
		cpus[i] = number(word[i + 1]);
	answer_errno(ioctl(session, UCORE_SET_PMI_CPUS, &set));
}

static int give(unsigned long nr)
{
	struct ucore_command command = { .size = sizeof(command) };

	return ioctl(session, nr, &command);
}

static void command(unsigned long nr)
{
	answer_errno(give(nr));
}

/* ---- counts ---- */

static struct ucore_value values[MAX_EVENTS];
static uint64_t running[MAX_EVENTS];
static struct ucore_read_domain domains[MAX_DOMAINS];

static int read_counts(struct ucore_read *rd, uint32_t flags)
{
	*rd = (struct ucore_read){
		.size = sizeof(*rd), .flags = flags,
		.nr_values = MAX_EVENTS, .nr_domains = MAX_DOMAINS,
		.values = (uintptr_t)values, .domains = (uintptr_t)domains,
		.running = (uintptr_t)running,
	};
	return ioctl(session, UCORE_READ, rd);
}

static void put_values(const struct ucore_value *value, uint32_t nr)
{
	uint32_t i;

	printf("\"values\":[");
	for (i = 0; i < nr; i++)
		printf("%s{\"event\":%u,\"flags\":%u,\"count\":%llu}", i ? "," : "",
		       value[i].event, value[i].flags, (unsigned long long)value[i].count);
	printf("]");
}

static void put_domain(const struct ucore_read_domain *domain)
{
	printf("{\"domain\":%u,\"cpu\":%u,\"time\":%llu,\"frozen_ns\":%llu,\"skew_ns\":%llu,"
	       "\"time_enabled\":%llu,\"time_running\":%llu}", domain->domain, domain->cpu,
	       (unsigned long long)domain->time, (unsigned long long)domain->frozen_ns,
	       (unsigned long long)domain->skew_ns,
	       (unsigned long long)domain->time_enabled,
	       (unsigned long long)domain->time_running);
}

static void read_once(uint32_t flags)
{
	struct ucore_read rd;
	uint32_t i;

	if (read_counts(&rd, flags)) {
		answer_errno(-1);
		return;
	}
	printf("{\"errno\":0,\"skew_ns\":%llu,\"domains\":[", (unsigned long long)rd.skew_ns);
	for (i = 0; i < rd.nr_domains; i++) {
		printf("%s", i ? "," : "");
		put_domain(&domains[i]);
	}
	printf("],\"running\":[");
	for (i = 0; i < rd.nr_values; i++)
		printf("%s%llu", i ? "," : "", (unsigned long long)running[i]);
	printf("],");
	put_values(values, rd.nr_values);
	printf("}\n");
}

static void burst(char **word)
{
	uint64_t n = number(word[1]);
	struct ucore_read rd;

	while (n--) {
		if (read_counts(&rd, 0)) {
			answer_errno(-1);
			return;
		}
	}
	answer_errno(0);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* How often it was done, and in what time */
static void answer_loop(const char *what, uint64_t nr, uint64_t from, uint64_t until)
{
	printf("{\"errno\":0,\"%s\":%llu,\"from\":%llu,\"until\":%llu}\n", what,
	       (unsigned long long)nr, (unsigned long long)from, (unsigned long long)until);
}

static void keep_reading(char **word)
{
	uint64_t from = now_ns(), until = from, nr = 0;
	struct ucore_read rd;

	while (until - from < number(word[1])) {
		if (read_counts(&rd, 0)) {
			answer_errno(-1);
			return;
		}
		until = now_ns();
		nr++;
	}
	answer_loop("reads", nr, from, until);
}

static void storm(char **word, int n)
{
	uint64_t from = now_ns(), until = from, nr = 0;
	uint32_t cpu = n > 2 ? number(word[2]) : 0;
	struct ucore_set_pmi_cpus set = { .size = sizeof(set), .nr = 1, .cpus = (uintptr_t)&cpu };

	while (until - from < number(word[1])) {
		if (give(UCORE_STOP) ||
		    (n > 2 && ioctl(session, UCORE_SET_PMI_CPUS, &set)) ||
		    give(UCORE_START) || give(UCORE_RESET)) {
			answer_errno(-1);
			return;
		}
		until = now_ns();
		nr++;
	}
	answer_loop("rounds", nr, from, until);
}

static void status(void)
{
	struct ucore_get_status st = { .size = sizeof(st) };

	if (ioctl(session, UCORE_GET_STATUS, &st)) {
		answer_errno(-1);
		return;
	}
	printf("{\"errno\":0,\"state\":%u,\"conflicts\":%u,\"samples\":%llu,\"lost\":%llu,"
	       "\"overflows\":%llu,\"recovered\":%llu,\"polled\":%llu,\"polls\":%llu,\"cost_ns\":%llu,"
	       "\"frozen_ns\":%llu,\"reads\":%llu,\"writes\":%llu,\"parallel_reads\":%llu}\n",
	       st.state, st.conflicts,
	       (unsigned long long)st.samples, (unsigned long long)st.lost,
	       (unsigned long long)st.overflows, (unsigned long long)st.recovered,
	       (unsigned long long)st.polled, (unsigned long long)st.polls,
	       (unsigned long long)st.cost_ns, (unsigned long long)st.frozen_ns,
	       (unsigned long long)st.reads, (unsigned long long)st.writes,
	       (unsigned long long)st.parallel_reads);
}

/* The values are those of some time from "from" to "until". */
static void budget(void)
{
	struct ucore_get_budget b = { .size = sizeof(b) };
	uint64_t from = now_ns(), until;

	if (ioctl(session, UCORE_GET_BUDGET, &b)) {
		answer_errno(-1);
		return;
	}
	until = now_ns();
	printf("{\"errno\":0,\"percent\":%u,\"sample_ns\":%llu,\"timer_min_ns\":%llu,"
	       "\"busy_ns\":%llu,\"wait_ns\":%llu,\"dropped\":%llu,\"delayed\":%llu,"
	       "\"from\":%llu,\"until\":%llu}\n",
	       b.percent, (unsigned long long)b.sample_ns, (unsigned long long)b.timer_min_ns,
	       (unsigned long long)b.busy_ns, (unsigned long long)b.wait_ns,
	       (unsigned long long)b.dropped, (unsigned long long)b.delayed,
	       (unsigned long long)from, (unsigned long long)until);
}

/* ---- rings ---- */

static bool ring_map(struct ring *ring, uint32_t domain)
{
	struct ucore_get_ring info = { .size = sizeof(info), .domain = domain };
	char *producer;

	if (ring->data)
		return true;
	if (ioctl(session, UCORE_GET_RING, &info))
		return false;
	ring->consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, session,
			      info.consumer);
	producer = mmap(NULL, 4096 + info.data_size, PROT_READ, MAP_SHARED, session,
			info.producer);
	if (ring->consumer == MAP_FAILED || producer == MAP_FAILED)
		return false;
	ring->producer = (void *)producer;
	ring->data = producer + 4096;
	ring->size = info.data_size;
	return true;
}

static void put_sample(const struct ucore_sample *s)
{
	printf("\"time\":%llu,\"time_enabled\":%llu,\"time_running\":%llu,"
	       "\"frozen_ns\":%llu,\"skew_ns\":%llu,\"late_ns\":%llu,\"ip\":%llu,\"pid\":%u,\"tid\":%u,\"cpu\":%u,"
	       "\"trigger\":%u,\"trigger_event\":%u,\"flags\":%u,",
	       (unsigned long long)s->time, (unsigned long long)s->time_enabled,
	       (unsigned long long)s->time_running, (unsigned long long)s->frozen_ns,
	       (unsigned long long)s->skew_ns, (unsigned long long)s->late_ns,
	       (unsigned long long)s->ip, s->pid, s->tid, s->cpu, s->trigger, s->trigger_event,
	       s->flags);
	put_values(s->values, s->nr_values);
}

static void put_tasks(const struct ucore_tasks *tasks)
{
	printf("\"time\":%llu,\"tasks\":[", (unsigned long long)tasks->time);
	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		const struct ucore_task *task = &tasks->tasks[i];

		printf("%s{\"cpu\":%u,\"flags\":%u,\"pid\":%u,\"tid\":%u,\"since\":%llu,\"comm\":\"%s\"}",
		       i ? "," : "", task->cpu, task->flags, task->pid, task->tid,
		       (unsigned long long)task->since, task->comm);
	}
	printf("]");
}

static void put_record(const struct ucore_record *record, uint32_t domain)
{
	const struct ucore_lost *lost = (const void *)record;
	const struct ucore_gap *gap = (const void *)record;

	printf("{\"type\":%u,\"domain\":%u,\"seq\":%llu,", record->type, domain,
	       (unsigned long long)record->seq);
	if (record->type == UCORE_RECORD_SAMPLE)
		put_sample((const void *)record);
	else if (record->type == UCORE_RECORD_LOST)
		printf("\"time\":%llu,\"lost\":%llu", (unsigned long long)lost->time,
		       (unsigned long long)lost->lost);
	else if (record->type == UCORE_RECORD_TASKS)
		put_tasks((const void *)record);
	else
		printf("\"time\":%llu,\"reason\":%u,\"box\":%d",
		       (unsigned long long)gap->time, gap->reason, (int)gap->box);
	printf("}");
}

static bool ring_drain(struct ring *ring, uint32_t domain, bool comma)
{
	uint64_t head = __atomic_load_n(&ring->producer->head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->consumer->tail;

	while (tail != head) {
		const struct ucore_record *record =
			(const void *)(ring->data + (tail & (ring->size - 1)));

		if (record->type != UCORE_RECORD_PAD) {
			printf("%s", comma ? "," : "");
			put_record(record, domain);
			comma = true;
		}
		tail += record->size;
	}
	__atomic_store_n(&ring->consumer->tail, tail, __ATOMIC_RELEASE);
	return comma;
}

static void drain(void)
{
	bool comma = false;
	uint32_t domain;

	printf("{\"errno\":0,\"records\":[");
	for (domain = 0; domain < MAX_DOMAINS; domain++)
		if (ring_map(&rings[domain], domain))
			comma = ring_drain(&rings[domain], domain, comma);
	printf("]}\n");
}

/* ---- commands ---- */

static bool obey(char **word, int n)
{
	if (!strcmp(word[0], "quit"))
		return false;
	if (!strcmp(word[0], "boxes"))
		list_boxes();
	else if (!strcmp(word[0], "selftest") && n == 2)
		selftest(number(word[1]));
	else if (!strcmp(word[0], "create"))
		create(word, n);
	else if (!strcmp(word[0], "add") && n >= 4)
		add(word, n);
	else if (!strcmp(word[0], "fill"))
		fill(word, n);
	else if (!strcmp(word[0], "trigger") && n >= 4)
		trigger(word, n);
	else if (!strcmp(word[0], "cpu"))
		set_cpus(word, n);
	else if (!strcmp(word[0], "start"))
		command(UCORE_START);
	else if (!strcmp(word[0], "stop"))
		command(UCORE_STOP);
	else if (!strcmp(word[0], "reset"))
		command(UCORE_RESET);
	else if (!strcmp(word[0], "read"))
		read_once(0);
	else if (!strcmp(word[0], "live"))
		read_once(UCORE_READ_F_NO_FREEZE);
	else if (!strcmp(word[0], "burst") && n == 2)
		burst(word);
	else if (!strcmp(word[0], "reads") && n == 2)
		keep_reading(word);
	else if (!strcmp(word[0], "storm") && n >= 2)
		storm(word, n);
	else if (!strcmp(word[0], "status"))
		status();
	else if (!strcmp(word[0], "budget"))
		budget();
	else if (!strcmp(word[0], "drain"))
		drain();
	else
		printf("{\"errno\":%d}\n", ENOSYS);
	fflush(stdout);
	return true;
}

static int split(char *line, char **word)
{
	int n = 0;

	for (char *w = strtok(line, " \n"); w && n < MAX_WORDS; w = strtok(NULL, " \n"))
		word[n++] = w;
	return n;
}

int main(void)
{
	char line[1024], *word[MAX_WORDS];
	int n;

	device = open(UCORE_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0) {
		perror("session");
		return 1;
	}
	answer_errno(0);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		n = split(line, word);
		if (n && !obey(word, n))
			break;
	}
	return 0;
}
