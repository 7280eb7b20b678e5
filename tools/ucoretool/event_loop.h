/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event loop: waits for signals, the measured program, a descriptor or a time.
 */
#ifndef UCORETOOL_EVENT_LOOP_H
#define UCORETOOL_EVENT_LOOP_H

#include "tool.h"

enum wait_event {
	WAIT_TICK,		/* the time @until of wait_for() is reached */
	WAIT_READY,		/* the descriptor @fd of wait_for() is readable */
	WAIT_END,		/* a signal arrived, the program exited, or the timeout ended */
	WAIT_ERROR,
};

/**
 * struct wait - state of the event loop
 * @sys: system calls, for poll()
 * @signals: signalfd
 * @timer: timerfd
 * @command: measured program with its arguments, NULL-terminated, or NULL
 * @child: process id of the program, 0: none
 * @go: write end of the pipe on which the child waits before exec
 * @exec_status: read end of the pipe with the errno of a failed exec
 * @child_status: status from waitpid(), valid with @child_done
 * @child_done: true after the program has exited
 * @resized: true after SIGWINCH, until the caller clears the flag
 * @dump: true after SIGUSR2, until the caller clears the flag
 * @ended: true after a signal, the exit of the program or the timeout; never cleared
 * @start: start of counting (ns of CLOCK_MONOTONIC)
 * @end: end of counting (ns of CLOCK_MONOTONIC), 0: no timeout
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

/** now_ns() - return CLOCK_MONOTONIC in ns */
uint64_t now_ns(void);

/**
 * wait_open() - create the event loop, block its signals, and fork a child for @command
 *
 * The child calls exec when wait_release() permits it.  There is no child if @command is NULL.
 * Return: 0 or the exit code.
 */
int wait_open(struct tool *tool, struct wait *wait, char **command);

/** wait_signal() - add SIGWINCH (sets wait.resized) or SIGUSR2 (sets wait.dump) to the signals */
int wait_signal(struct tool *tool, struct wait *wait, int signal);

/** wait_release() - start the measured program, if any (exec); return 0 or the exit code */
int wait_release(struct tool *tool, struct wait *wait);

/**
 * wait_for() - wait for a time, a descriptor, a signal or the program's exit
 * @wait: the event loop
 * @fd: descriptor that may become readable, or -1
 * @until: time to return at the latest (ns of CLOCK_MONOTONIC), 0: no limit
 *
 * Return: the first of these events.  With WAIT_ERROR errno is set.
 */
enum wait_event wait_for(struct wait *wait, int fd, uint64_t until);

/**
 * wait_close() - terminate the program if it still runs, and close all descriptors
 * @tool: the tool
 * @wait: the event loop
 * @ret: exit code of the caller
 *
 * Return: @ret, or the exit code of the program if @ret is 0.
 */
int wait_close(struct tool *tool, struct wait *wait, int ret);

#endif /* UCORETOOL_EVENT_LOOP_H */
