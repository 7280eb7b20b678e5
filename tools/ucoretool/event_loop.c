// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Waiting: for the time of the next interval, for records, for the command
 * under measurement, for Ctrl-C.  Signals arrive through a descriptor, so there
 * is no handler and no race.
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

#define KILL_AFTER	(3 * NSEC_PER_SEC)	/* of a command that ignores SIGTERM */

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

/* ---- the command ------------------------------------------------------- */

/*
 * In the child: wait until counting has begun, then become the command.  Errno
 * of a failed exec goes up the status pipe, which a successful one closes.
 */
static void child_run(char **command, int go, int status)
{
	sigset_t set;
	char byte;
	int code;

	signal_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
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
		return tool_error(tool, "cannot run '%s': %s", command[0], strerror(errno));
	if (pipe2(status, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return tool_error(tool, "cannot run '%s': %s", command[0], strerror(errno));
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
	return tool_error(tool, "cannot run '%s': %s", command[0], strerror(errno));
}

int wait_release(struct tool *tool, struct wait *wait)
{
	int code = 0;
	ssize_t got;

	if (wait->child) {
		if (write(wait->go, "", 1) != 1)
			return tool_error(tool, "'%s' died before it started", wait->command[0]);
		got = read(wait->exec_status, &code, sizeof(code));
		if (got > 0)
			return tool_error(tool, "cannot run '%s': %s", wait->command[0],
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
		return tool_error(tool, "cannot wait: %s", strerror(errno));
	return command ? child_fork(tool, wait) : 0;
}

/* The command has been forked: the signal is not blocked in it */
int wait_signal(struct tool *tool, struct wait *wait, int signal)
{
	sigset_t set;

	signal_set(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* of a descriptor that is there only the signals change */
	if (signalfd(wait->signals, &set, 0) < 0)
		return tool_error(tool, "cannot wait: %s", strerror(errno));
	return 0;
}

static void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* What was measured did not work: its failure is ours, with its status as a shell has it */
static int child_verdict(const struct tool *tool, int status)
{
	if (WIFSIGNALED(status)) {
		tool_error(tool, "the command died of signal %d (%s)", WTERMSIG(status),
			   strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	if (WEXITSTATUS(status))
		tool_error(tool, "the command ended with status %d", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

/* Our time is up before the command's: it is asked to end, and then made to */
static void child_end(const struct tool *tool, struct wait *wait)
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
		/* who asks us to end once more does not want to wait */
		while (read(wait->signals, &info, sizeof(info)) == sizeof(info))
			patient &= info.ssi_signo == SIGCHLD || info.ssi_signo == SIGUSR2;
	}
	if (!wait->child)
		return;
	tool_error(tool, "the command does not end at SIGTERM: killed");
	kill(wait->child, SIGKILL);
	waitpid(wait->child, NULL, 0);
	wait->child = 0;
}

int wait_close(struct tool *tool, struct wait *wait, int ret)
{
	child_reap(wait);
	if (wait->child)
		child_end(tool, wait);
	else if (wait->child_done && !ret)
		ret = child_verdict(tool, wait->child_status);
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

/* A signal to end, or the command's end */
static void signals_take(struct wait *wait)
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
		signals_take(wait);
	if (wait->end && now_ns() >= wait->end)
		wait->ended = true;
	if (wait->ended)
		return WAIT_END;
	if (fds[2].revents & (POLLERR | POLLHUP | POLLNVAL)) {
		/* a session hangs up when somebody ends it */
		errno = fds[2].revents & POLLHUP ? ESHUTDOWN : EIO;
		return WAIT_ERROR;
	}
	if (fds[2].revents & POLLIN)
		return WAIT_READY;
	return WAIT_TICK;
}
