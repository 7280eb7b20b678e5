// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The event loop: waits for the next interval, for records, for the measured program and
 * for Ctrl-C.  Signals arrive through a signalfd, which avoids handlers and their races.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "event_loop.h"

#define KILL_AFTER	(3 * NSEC_PER_SEC)	/* time from SIGTERM to SIGKILL */

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static void signal_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

/* ---- the measured program ---------------------------------------------- */

/*
 * Body of the forked child: wait until wait_release() writes a byte to the pipe @go, then call
 * exec.  If exec fails, its errno is written to the pipe @status.  A successful exec closes
 * @status.
 */
static void child_run(char **command, int go, int status)
{
	sigset_t set;
	char byte;
	int code;

	signal_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (read(go, &byte, 1) == 1)
		execvp(command[0], command);
	code = errno;
	if (write(status, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static int child_fork(struct tool *tool, struct wait *wait)
{
	char **command = wait->command;
	int go[2], status[2];

	if (pipe2(go, O_CLOEXEC))
		return tool_error(tool, "program '%s': cannot run: %s", command[0],
				  strerror(errno));
	if (pipe2(status, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return tool_error(tool, "program '%s': cannot run: %s", command[0],
				  strerror(errno));
	}
	wait->child = fork();
	if (!wait->child) {
		close(go[1]);
		child_run(command, go[0], status[1]);
	}
	close(go[0]);
	close(status[1]);
	wait->go = go[1];
	wait->exec_status = status[0];
	if (wait->child > 0)
		return 0;
	wait->child = 0;
	return tool_error(tool, "program '%s': cannot run: %s", command[0], strerror(errno));
}

int wait_release(struct tool *tool, struct wait *wait)
{
	int code = 0;
	ssize_t got;

	if (wait->child) {
		if (write(wait->go, "", 1) != 1)
			return tool_error(tool, "program '%s': died before exec", wait->command[0]);
		got = read(wait->exec_status, &code, sizeof(code));
		if (got > 0)
			return tool_error(tool, "program '%s': cannot run: %s", wait->command[0],
					  strerror(code));
	}
	return 0;
}

static void child_reap(struct wait *wait)
{
	int status;

	if (wait->child && waitpid(wait->child, &status, WNOHANG) == wait->child) {
		wait->child = 0;
		wait->child_status = status;
		wait->child_done = true;
	}
}

/* ---- open and close ---------------------------------------------------- */

int wait_open(struct tool *tool, struct wait *wait, char **command)
{
	sigset_t set;

	*wait = (struct wait) {
		.sys = tool->sys, .command = command, .go = -1, .exec_status = -1,
	};
	signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	wait->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	wait->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (wait->signals < 0 || wait->timer < 0)
		return tool_error(tool, "event loop: cannot wait: %s", strerror(errno));
	return command ? child_fork(tool, wait) : 0;
}

/*
 * Block @signal in the tool, but not in the measured program, which wait_open() has already forked
 */
int wait_signal(struct tool *tool, struct wait *wait, int signal)
{
	sigset_t set;

	signal_set(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* add the signal: with an existing descriptor, signalfd() replaces the signal mask */
	if (signalfd(wait->signals, &set, 0) < 0)
		return tool_error(tool, "event loop: cannot wait: %s", strerror(errno));
	return 0;
}

static void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Report how the program failed; return its exit status as a shell does (128 + signal) */
static int child_status_report(const struct tool *tool, int status)
{
	if (WIFSIGNALED(status)) {
		tool_error(tool, "program: killed by signal %d (%s)", WTERMSIG(status),
			   strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	if (WEXITSTATUS(status))
		tool_error(tool, "program: exited with status %d", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

/* Send SIGTERM to the program, and SIGKILL if it does not exit within KILL_AFTER */
static void child_terminate(const struct tool *tool, struct wait *wait)
{
	struct pollfd fd = { .fd = wait->signals, .events = POLLIN };
	uint64_t until = now_ns() + KILL_AFTER;
	struct signalfd_siginfo info;
	bool patient = true;

	kill(wait->child, SIGTERM);
	fd_close(wait->go);
	wait->go = -1;
	for (child_reap(wait); wait->child && patient; child_reap(wait)) {
		uint64_t now = now_ns();

		if (now < until)
			poll(&fd, 1, (int)((until - now) / NSEC_PER_MSEC) + 1);
		patient = now < until;
		/* a second Ctrl-C sends SIGKILL at once */
		while (read(wait->signals, &info, sizeof(info)) == sizeof(info))
			patient &= info.ssi_signo == SIGCHLD || info.ssi_signo == SIGUSR2;
	}
	if (!wait->child)
		return;
	tool_error(tool, "program: did not exit after SIGTERM, killed");
	kill(wait->child, SIGKILL);
	waitpid(wait->child, NULL, 0);
	wait->child = 0;
}

int wait_close(struct tool *tool, struct wait *wait, int ret)
{
	child_reap(wait);
	if (wait->child)
		child_terminate(tool, wait);
	else if (wait->child_done && !ret)
		ret = child_status_report(tool, wait->child_status);
	fd_close(wait->go);
	fd_close(wait->exec_status);
	fd_close(wait->signals);
	fd_close(wait->timer);
	return ret;
}

/* ---- waiting ----------------------------------------------------------- */

static void timer_arm(const struct wait *wait, uint64_t until)
{
	struct itimerspec spec = { 0 };

	if (wait->end && (!until || wait->end < until))
		until = wait->end;
	spec.it_value.tv_sec = (time_t)(until / NSEC_PER_SEC);
	spec.it_value.tv_nsec = (long)(until % NSEC_PER_SEC);
	timerfd_settime(wait->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* Read all pending signals from the signalfd, and set the flags of @wait */
static void signals_read(struct wait *wait)
{
	struct signalfd_siginfo info;

	while (read(wait->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			wait->resized = true;
		else if (info.ssi_signo == SIGUSR2)
			wait->dump = true;
		else if (info.ssi_signo != SIGCHLD)
			wait->ended = true;
		else
			child_reap(wait);
	}
	wait->ended |= wait->child_done;
}

enum wait_event wait_for(struct wait *wait, int fd, uint64_t until)
{
	struct pollfd fds[] = {
		{ .fd = wait->signals, .events = POLLIN },
		{ .fd = wait->timer, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};

	if (wait->ended)
		return WAIT_END;
	timer_arm(wait, until);
	if (wait->sys->poll(fds, fd < 0 ? 2 : 3, -1) < 0)
		return errno == EINTR ? WAIT_TICK : WAIT_ERROR;
	if (fds[0].revents)
		signals_read(wait);
	if (wait->end && now_ns() >= wait->end)
		wait->ended = true;
	if (wait->ended)
		return WAIT_END;
	if (fds[2].revents & (POLLERR | POLLHUP | POLLNVAL)) {
		/* the driver reports POLLHUP for a revoked session */
		errno = fds[2].revents & POLLHUP ? ESHUTDOWN : EIO;
		return WAIT_ERROR;
	}
	if (fds[2].revents & POLLIN)
		return WAIT_READY;
	return WAIT_TICK;
}
