/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ucoretool: what its files share.
 *
 * A command is a row of the table in main.c.  cli.c turns argv into the
 * command's own struct, option by option; run() sees only that struct.
 */
#ifndef UCORETOOL_H
#define UCORETOOL_H

#include <stdio.h>

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define EXIT_USAGE	2

#define NSEC_PER_SEC	UINT64_C(1000000000)
#define NSEC_PER_MSEC	UINT64_C(1000000)
#define NSEC_PER_USEC	UINT64_C(1000)

/* Options without a letter */
enum {
	OPT_HELP = 256,
	OPT_DEVICE,
	OPT_DISCOVERY,
	OPT_LIVE,
	OPT_LOW_DWORD,
	OPT_PER_BOX,
	OPT_PER_SOCKET,
	OPT_PLATFORM,
	OPT_REJECTED,
	OPT_ROOT,
	OPT_TIMEOUT,
	OPT_TIMER,
	OPT_TOTALS,
};

/**
 * struct tool - one run of ucoretool
 * @sys: system calls for the library
 * @command: the row being run
 * @device: device node, NULL for the default
 * @err: for library calls
 */
struct tool {
	const struct ucore_sys *sys;
	const struct command *command;
	const char *device;
	struct ucore_error err;
};

/**
 * struct option_desc - one option of a command
 * @letter: short option, or OPT_*
 * @name: long option, or NULL
 * @arg: what its argument is called, NULL for none
 * @help: one line
 */
struct option_desc {
	int letter;
	const char *name;
	const char *arg;
	const char *help;
};

/**
 * struct command - one row of the command table
 * @name: as typed
 * @operands: after the options, for the help text
 * @summary: one line
 * @options: ends with a zero letter
 * @more_options: further options, or NULL
 * @runs_command: the first operand ends the options
 * @args_size: of the struct that the following functions share, zeroed first
 * @option: take one option; 0 or an exit code
 * @finish: take the operands and check the whole; 0 or an exit code
 * @run: do it; an exit code
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const struct option_desc *options;
	const struct option_desc *more_options;
	bool runs_command;
	size_t args_size;
	int (*option)(struct tool *tool, void *args, int letter, const char *value);
	int (*finish)(struct tool *tool, void *args, int argc, char **argv);
	int (*run)(struct tool *tool, const void *args);
};

extern const struct command command_list, command_info, command_doctor, command_stat,
			    command_record, command_report;

/* main.c */
int ucoretool_run(int argc, char **argv, const struct ucore_sys *sys);

/* cli.c */
int cli_run(struct tool *tool, const struct command *command, int argc, char **argv);
void cli_help(const struct command *command);
void cli_completion(const struct command *const *commands, size_t nr);
int tool_usage(const struct tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_fail(const struct tool *tool, int code);
int tool_error(const struct tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int parse_u64(struct tool *tool, const char *what, const char *text, uint64_t low, uint64_t high,
	      uint64_t *value);
int parse_bytes(struct tool *tool, const char *what, const char *text, uint32_t *value);
int parse_duration(struct tool *tool, const char *what, const char *text, uint64_t *ns);
int parse_separator(struct tool *tool, const char *text, char *separator);

/* out.c: rows as a table, CSV or JSON lines */
enum out_format {
	OUT_TABLE,
	OUT_CSV,
	OUT_JSON,
};

struct out {
	FILE *stream;
	enum out_format format;
	char separator;
	bool inside;		/* JSON: a member has been written */
};

enum cell_kind {
	CELL_NONE,
	CELL_TEXT,
	CELL_COUNT,		/* table: digits in groups */
	CELL_NUMBER,
	CELL_NS,		/* table: seconds; elsewhere nanoseconds */
	CELL_REAL,		/* two decimals */
};

struct cell {
	enum cell_kind kind;
	const char *text;
	uint64_t number;
	double real;
};

/* A column; the name is for machines and, in capitals, for people; width < 0: left */
struct column {
	const char *name;
	const char *heading;
	int width;
	bool hidden;		/* in tables */
};

static inline struct cell cell_none(void)
{
	return (struct cell) { .kind = CELL_NONE };
}

static inline struct cell cell_text(const char *text)
{
	return (struct cell) { .kind = CELL_TEXT, .text = text };
}

static inline struct cell cell_number(uint64_t number)
{
	return (struct cell) { .kind = CELL_NUMBER, .number = number };
}

static inline struct cell cell_count(uint64_t number)
{
	return (struct cell) { .kind = CELL_COUNT, .number = number };
}

static inline struct cell cell_ns(uint64_t number)
{
	return (struct cell) { .kind = CELL_NS, .number = number };
}

static inline struct cell cell_real(double real)
{
	return (struct cell) { .kind = CELL_REAL, .real = real };
}

void out_head(struct out *out, const struct column *columns, size_t nr);
void out_row(struct out *out, const struct column *columns, size_t nr, const struct cell *cells);

/* JSON by hand, for what is not a flat row; members follow begin, key NULL in arrays */
void json_begin(struct out *out, const char *key, char bracket);
void json_end(struct out *out, char bracket);
void json_text(struct out *out, const char *key, const char *text);
void json_number(struct out *out, const char *key, uint64_t number);
void json_real(struct out *out, const char *key, double real);

/* place.c: where registers are */
const char *access_name(uint32_t access);
void place_text(uint32_t access, uint64_t at, char *text, size_t size);
void unit_place_text(uint32_t access, uint64_t at, char *text, size_t size);
void table_place_text(const struct ucore_table_info *table, char *text, size_t size);

/* list.c: a pattern without * and ? may stand anywhere in the word; NULL matches all */
bool pattern_matches(const char *pattern, const char *word);

/* discovery.c */
int discovery_rejected(struct tool *tool, struct ucore_device *dev, const struct out *how,
		       const char *pattern);
int discovery_dump(struct tool *tool, struct ucore_device *dev, bool json);

/* count.c: what stat and record have in common */
#define MAX_CPUS	64
#define MAX_LISTS	64

/**
 * struct count_args - options that stat and record share
 * @lists: arguments of -e
 * @cpus: PMI cores
 * @delay_ns: wait so long before counting
 * @timeout_ns: count so long, 0: until the command ends or a signal comes
 * @low_dword: UCORE_SESSION_LOW_DWORD
 * @command: command to run, NULL-terminated, or NULL
 */
struct count_args {
	const char *lists[MAX_LISTS];
	unsigned int nr_lists;
	uint32_t cpus[MAX_CPUS];
	unsigned int nr_cpus;
	uint64_t delay_ns;
	uint64_t timeout_ns;
	bool low_dword;
	char **command;
};

extern const struct option_desc count_options[];

int count_option(struct tool *tool, struct count_args *args, int letter, const char *value,
		 bool *taken);
int count_finish(struct tool *tool, struct count_args *args, int argc, char **argv);

/**
 * struct count - a device and a session made from count_args
 */
struct count {
	struct ucore_device *dev;
	struct ucore_session *session;
};

/*
 * Device, session, events, PMI cores.  @first_period is the period of the first
 * event, or 0.  A session with rings needs a trigger, one without takes none.
 */
int count_open(struct tool *tool, const struct count_args *args,
	       const struct ucore_session_config *config, uint64_t first_period,
	       struct count *count);
void count_close(struct count *count);
struct wait;
int count_start(struct tool *tool, const struct count_args *args, struct count *count,
		struct wait *wait);

/* wait.c: signals, the command under measurement, and time */
enum wait_event {
	WAIT_TICK,		/* the time asked for has come */
	WAIT_READY,		/* the descriptor is readable */
	WAIT_END,		/* a signal, the end of the command, or the timeout */
	WAIT_ERROR,
};

struct wait {
	const struct ucore_sys *sys;
	int signals;		/* signalfd */
	int timer;		/* timerfd */
	int child;		/* pid, 0: none */
	int go;			/* pipe that lets the child start */
	int exec_status;	/* pipe that tells why it could not */
	int child_status;	/* of waitpid, once child is 0 again */
	bool child_done;
	bool ended;		/* by signal, command or time: for good */
	uint64_t start;		/* when counting began, CLOCK_MONOTONIC ns */
	uint64_t end;		/* when it is to end, 0: open */
};

uint64_t now_ns(void);
int wait_open(struct tool *tool, struct wait *wait, const struct count_args *args);
int wait_release(struct tool *tool, struct wait *wait, const struct count_args *args);
enum wait_event wait_for(struct wait *wait, int fd, uint64_t until);
/* @ret: exit code so far; if it is 0, how the command ended decides */
int wait_close(struct tool *tool, struct wait *wait, int ret);

#endif /* UCORETOOL_H */
