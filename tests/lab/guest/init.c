// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the lab's guests: mounts what tests need, then serves the agent.
 *
 * The agent speaks frames over the second serial port.  A frame is a header of
 * four little-endian words (type, id, arg, length) and a payload.  The host
 * sends RUN, KILL and OFF; commands run side by side, each in a process group
 * of its own, and the agent answers with OUT frames and one EXIT per command.
 * A byte costs the host 7 us there, but 1 us by QEMU's debug port, whose bytes go
 * to a file: longer payloads go by the port, before their frame.
 * tests/lab/agent.py is the other end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define AGENT_TTY	"/dev/ttyS1"
#define MAX_JOBS	32
#define MAX_PAYLOAD	(1U << 20)
#define CHUNK		65536
#define BULK_PORT	0xe9
#define BULK_MIN	64

enum frame_type {
	FRAME_HELLO = 1,	/* guest: the agent is ready */
	FRAME_RUN,		/* host: id, arg = timeout in ms (0: none), payload = command */
	FRAME_KILL,		/* host: id, arg = signal, to the process group of id */
	FRAME_OFF,		/* host: power off */
	FRAME_OUT,		/* guest: id, arg = 1 stdout or 2 stderr, payload = bytes */
	FRAME_EXIT,		/* guest: id, arg = wait status | EXIT_TIMED_OUT */
	FRAME_BULK,		/* guest: as OUT; the port has had the payload */
};

#define EXIT_TIMED_OUT	(1U << 16)
#define EXIT_NO_JOB	(1U << 17)	/* no slot, or fork failed */

struct frame {
	uint32_t type;
	uint32_t id;
	uint32_t arg;
	uint32_t len;
};

struct job {
	pid_t pid;		/* 0: free slot */
	uint32_t id;
	int out[2];		/* read ends of stdout and stderr, -1 at EOF */
	int64_t deadline;	/* ms, 0: none */
	uint32_t verdict;
};

static struct job jobs[MAX_JOBS];
static int tty;
static int bulk;		/* may the port be used? */

static void die(const char *what)
{
	fprintf(stderr, "init: %s: %s\n", what, strerror(errno));
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static void write_all(const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(tty, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("write " AGENT_TTY);
		p += n;
		len -= n;
	}
}

static void read_all(void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = read(tty, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("read " AGENT_TTY);
		p += n;
		len -= n;
	}
}

static void frame_send(uint32_t type, uint32_t id, uint32_t arg,
		       const void *payload, uint32_t len)
{
	struct frame f = { type, id, arg, len };

	if (type == FRAME_OUT && len >= BULK_MIN && bulk) {
		outsb(BULK_PORT, payload, len);
		f.type = FRAME_BULK;
		len = 0;
	}
	write_all(&f, sizeof(f));
	write_all(payload, len);
}

/*
 * ---- Jobs ---------------------------------------------------------------
 */

static struct job *job_find(uint32_t id)
{
	for (int i = 0; i < MAX_JOBS; i++)
		if (jobs[i].pid && jobs[i].id == id)
			return &jobs[i];
	return NULL;
}

static struct job *job_slot(void)
{
	for (int i = 0; i < MAX_JOBS; i++)
		if (!jobs[i].pid)
			return &jobs[i];
	return NULL;
}

static void job_exec(const char *command, const int out[2])
{
	sigset_t none;
	int null = open("/dev/null", O_RDONLY);

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	dup2(null, 0);
	dup2(out[0], 1);
	dup2(out[1], 2);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static pid_t job_fork(const char *command, int reader[2])
{
	int out[2], err[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return -1;
	}
	pid = fork();
	if (!pid)
		job_exec(command, (int[]){ out[1], err[1] });
	close(out[1]);
	close(err[1]);
	if (pid < 0) {
		close(out[0]);
		close(err[0]);
	}
	reader[0] = out[0];
	reader[1] = err[0];
	return pid;
}

static void job_start(const struct frame *f, const char *command)
{
	struct job *job = job_slot();
	struct job new = { .id = f->id };

	new.pid = job ? job_fork(command, new.out) : -1;
	if (new.pid < 0) {
		frame_send(FRAME_EXIT, f->id, EXIT_NO_JOB, NULL, 0);
		return;
	}
	if (f->arg)
		new.deadline = now_ms() + f->arg;
	for (int i = 0; i < 2; i++)
		fcntl(new.out[i], F_SETFL, O_NONBLOCK);
	*job = new;
}

/* One chunk of one stream; false when there is nothing more to read now */
static int job_forward(struct job *job, int stream)
{
	static char buf[CHUNK];
	ssize_t n;

	if (job->out[stream] < 0)
		return 0;
	n = read(job->out[stream], buf, sizeof(buf));
	if (n > 0) {
		frame_send(FRAME_OUT, job->id, stream + 1, buf, n);
		return 1;
	}
	if (n == 0 || errno != EAGAIN) {
		close(job->out[stream]);
		job->out[stream] = -1;
	}
	return 0;
}

/*
 * What a finished command left in its pipes is sent before its EXIT; a
 * background process that still holds them does not delay it.
 */
static void job_finish(struct job *job, int status)
{
	for (int i = 0; i < 2; i++) {
		while (job_forward(job, i))
			;
		if (job->out[i] >= 0)
			close(job->out[i]);
	}
	frame_send(FRAME_EXIT, job->id, job->verdict | (status & 0xffff), NULL, 0);
	job->pid = 0;
}

static void jobs_reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < MAX_JOBS; i++)
			if (jobs[i].pid == pid)
				job_finish(&jobs[i], status);
}

/* The group; or the child alone if it has not reached its setsid() yet */
static void job_kill(const struct job *job, int sig)
{
	if (kill(-job->pid, sig))
		kill(job->pid, sig);
}

/* Kills what is overdue; returns the time to the next deadline, -1 if none */
static int jobs_expire(void)
{
	int64_t now = now_ms(), next = -1;

	for (int i = 0; i < MAX_JOBS; i++) {
		struct job *job = &jobs[i];

		if (!job->pid || !job->deadline)
			continue;
		if (job->deadline <= now) {
			job->verdict |= EXIT_TIMED_OUT;
			job->deadline = 0;
			job_kill(job, SIGKILL);
		} else if (next < 0 || job->deadline - now < next) {
			next = job->deadline - now;
		}
	}
	return next;
}

/*
 * ---- The loop -----------------------------------------------------------
 */

static void frame_serve(void)
{
	static char payload[MAX_PAYLOAD + 1];
	struct job *job;
	struct frame f;

	read_all(&f, sizeof(f));
	if (f.len > MAX_PAYLOAD)
		die("frame too long");
	read_all(payload, f.len);
	payload[f.len] = 0;

	switch (f.type) {
	case FRAME_RUN:
		job_start(&f, payload);
		break;
	case FRAME_KILL:
		job = job_find(f.id);
		if (job)
			job_kill(job, f.arg);
		break;
	case FRAME_OFF:
		sync();
		reboot(RB_POWER_OFF);
		break;
	default:
		die("unknown frame");
	}
}

static void agent(void)
{
	struct pollfd fds[2 + 2 * MAX_JOBS];
	struct signalfd_siginfo si;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	fds[0] = (struct pollfd){ tty, POLLIN, 0 };
	fds[1] = (struct pollfd){ signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0 };
	frame_send(FRAME_HELLO, 0, 0, NULL, 0);

	for (;;) {
		for (int i = 0; i < 2 * MAX_JOBS; i++)
			fds[2 + i] = (struct pollfd){
				jobs[i / 2].pid ? jobs[i / 2].out[i % 2] : -1, POLLIN, 0
			};
		if (poll(fds, 2 + 2 * MAX_JOBS, jobs_expire()) < 0 && errno != EINTR)
			die("poll");
		for (int i = 0; i < 2 * MAX_JOBS; i++)
			if (fds[2 + i].revents)
				job_forward(&jobs[i / 2], i % 2);
		while (read(fds[1].fd, &si, sizeof(si)) > 0)
			;
		jobs_reap();
		if (fds[0].revents)
			frame_serve();
	}
}

/*
 * ---- Boot ---------------------------------------------------------------
 */

static const struct {
	const char *type, *where;
} mounts[] = {
	{ "proc", "/proc" },
	{ "sysfs", "/sys" },
	{ "devtmpfs", "/dev" },
	{ "debugfs", "/sys/kernel/debug" },
	{ "tracefs", "/sys/kernel/tracing" },
	{ "tmpfs", "/tmp" },
	{ "tmpfs", "/run" },
};

static void console_open(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static void tty_open(void)
{
	struct termios t;

	tty = open(AGENT_TTY, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (tty < 0 || tcgetattr(tty, &t))
		die(AGENT_TTY);
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~CRTSCTS;
	cfsetspeed(&t, B115200);
	tcsetattr(tty, TCSANOW, &t);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].where, 0755);
		mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, NULL);
	}
	console_open();
	sethostname("lab", 3);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	tty_open();
	bulk = !ioperm(BULK_PORT, 1, 1);
	agent();
}
