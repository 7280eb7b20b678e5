/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waiting: for signals, for the command under measurement, for time.
 */
#ifndef UCORETOOL_WAIT_H
#define UCORETOOL_WAIT_H

#include "tool.h"

enum wait_event {
	WAIT_TICK,		/* the time asked for has come */
	WAIT_READY,		/* the descriptor is readable */
	WAIT_END,		/* a signal, the end of the command, or the timeout */
	WAIT_ERROR,
};

/**
 * struct wait - what is waited for
 * @sys: the system calls, of which poll() is used
 * @signals: a signalfd
 * @timer: a timerfd
 * @command: the command under measurement, NULL-terminated, or NULL
 * @child: its process, 0 if there is none
 * @go: the pipe that lets the child start
 * @exec_status: the pipe that tells why it could not
 * @child_status: what waitpid() said of it, valid with @child_done
 * @child_done: the child has ended
 * @resized: SIGWINCH has come: the terminal has another size; whoever sees it clears it
 * @dump: SIGUSR2 has come; whoever sees it clears it
 * @ended: a signal, the end of the command or the timeout has come: it is for good
 * @start: when counting began, in ns of CLOCK_MONOTONIC
 * @end: when counting is to end, or 0 if no time is set
 */
struct wait {
	const struct ucore_sys *sys;
	int signals;
	int timer;
	char **command;
	int child;
	int go;
	int exec_status;
	int child_status;
	bool child_done;
	bool resized;
	bool dump;
	bool ended;
	uint64_t start;
	uint64_t end;
};

/** now_ns() - CLOCK_MONOTONIC */
uint64_t now_ns(void);

/** wait_open() - take the signals, and fork @command if it is not NULL: it does not run yet */
int wait_open(struct tool *tool, struct wait *wait, char **command);

/** wait_signal() - let one more wake up: SIGWINCH (see @resized) or SIGUSR2 (see @dump) */
int wait_signal(struct tool *tool, struct wait *wait, int signal);

/** wait_release() - let the command run, if there is one */
int wait_release(struct tool *tool, struct wait *wait);

/**
 * wait_for() - wait for whatever comes first
 * @fd: a descriptor to become readable, or -1
 * @until: a time in ns of CLOCK_MONOTONIC, or 0
 */
enum wait_event wait_for(struct wait *wait, int fd, uint64_t until);

/**
 * wait_close() - end the command if it still runs, and give everything back
 * @ret: the exit code so far; if it is 0, how the command ended decides
 */
int wait_close(struct tool *tool, struct wait *wait, int ret);

#endif /* UCORETOOL_WAIT_H */
