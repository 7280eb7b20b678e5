// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the lab's guests: mounts file systems, then runs the agent.
 *
 * The agent exchanges frames over the second serial port.  A frame is a header of four
 * little-endian words (type, id, arg, length) and a payload.  The host sends commands, which
 * run concurrently, each in its own process group.  The agent answers with OUT frames and one
 * EXIT per command.  Frequent operations (READ, WRITE, INPUT) create no process, because a
 * shell takes a quarter of a second on the debug kernel.
 *
 * A byte costs the host 7 us on the serial port, but 1 us on QEMU's debug port, whose output
 * goes to a file.  Longer payloads use the debug port, before their frame.
 * tests/lab/agent.py implements the host's side.
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
#define SCRIPT		"/script"
#define BULK_PORT	0xe9
#define BULK_MIN	64

enum frame_type {
	FRAME_HELLO = 1,	/* guest: the agent is ready */
	FRAME_RUN,		/* host: id, arg = timeout in ms (0: none), payload = command */
	FRAME_KILL,		/* host: id, arg = signal, to the process group of id */
	FRAME_OFF,		/* host: power off */
	FRAME_OUT,		/* guest: id, arg = 1 stdout or 2 stderr, payload = bytes */
	FRAME_EXIT,		/* guest: id, arg = wait status | EXIT_TIMED_OUT */
	FRAME_BULK,		/* guest: as OUT; the payload was sent through the debug port */
	FRAME_RUN_FED,		/* host: as RUN, with a pipe for stdin */
	FRAME_INPUT,		/* host: id, payload = bytes for its stdin */
	FRAME_READ,		/* host: id, payload = path; answered as a command */
	FRAME_WRITE,		/* host: id, arg = length of the path, payload = path, bytes */
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
	int in;			/* write end of stdin, -1: none */
	int out[2];		/* read ends of stdout and stderr, -1 at EOF */
	int64_t deadline;	/* ms, 0: none */
	uint32_t verdict;
};

static struct job jobs[MAX_JOBS];
static int tty;
static int bulk;		/* the debug port may be used */

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

static void job_exec(const char *command, int in, const int out[2])
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	dup2(in, 0);
	dup2(out[0], 1);
	dup2(out[1], 2);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* stdin: ends[0] is the child's, ends[1] ours, -1 if it is /dev/null */
static int stdin_open(int ends[2], int fed)
{
	if (fed)
		return pipe2(ends, O_CLOEXEC | O_NONBLOCK) ||
		       fcntl(ends[0], F_SETFL, 0) ? -1 : 0;
	ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ends[1] = -1;
	return ends[0] < 0 ? -1 : 0;
}

static pid_t job_fork(const char *command, struct job *job, int fed)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
	pid_t pid = -1;

	if (!stdin_open(in, fed) && !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC))
		pid = fork();
	if (!pid)
		job_exec(command, in[0], (int[]){ out[1], err[1] });
	close(in[0]);
	close(out[1]);
	close(err[1]);
	if (pid < 0) {
		close(in[1]);
		close(out[0]);
		close(err[0]);
	}
	job->in = in[1];
	job->out[0] = out[0];
	job->out[1] = err[0];
	return pid;
}

static void job_start(const struct frame *f, const char *command)
{
	struct job *job = job_slot();
	struct job new = { .id = f->id };

	new.pid = job ? job_fork(command, &new, f->type == FRAME_RUN_FED) : -1;
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

/* Forward one chunk of one stream; return false if no data are available */
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

/* Bytes for its stdin; while the pipe is full its output is taken, or neither went on */
static void job_feed(struct job *job, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(job->in, p, len);

		if (n > 0) {
			p += n;
			len -= n;
		} else if (n < 0 && errno == EAGAIN) {
			if (!job_forward(job, 0) && !job_forward(job, 1))
				poll(NULL, 0, 1);
		} else if (n == 0 || errno != EINTR) {
			return;		/* it has gone */
		}
	}
}

/*
 * Send the output left in the pipes of a finished command before its EXIT. A background process
 * that still holds the pipes does not delay it.
 */
static void job_finish(struct job *job, int status)
{
	for (int i = 0; i < 2; i++) {
		while (job_forward(job, i))
			;
		if (job->out[i] >= 0)
			close(job->out[i]);
	}
	if (job->in >= 0)
		close(job->in);
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

/* Kill commands beyond their timeout; return the time to the next deadline, -1 if none */
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
 * ---- Files: short ones, of which a read or a write returns at once --------
 */

static void file_answer(uint32_t id, int error)
{
	/* as the wait status of a command that exits with it */
	frame_send(FRAME_EXIT, id, (error & 0xff) << 8, NULL, 0);
}

static void file_read(const struct frame *f, const char *path)
{
	static char buf[CHUNK];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0)
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			frame_send(FRAME_OUT, f->id, 1, buf, n);
	file_answer(f->id, n < 0 ? errno : 0);
	if (fd >= 0)
		close(fd);
}

static void file_write(const struct frame *f, char *payload)
{
	ssize_t len = f->len - f->arg, n = -1;
	char *bytes = payload + f->arg;
	char first = *bytes;
	int fd;

	*bytes = 0;
	fd = open(payload, O_WRONLY | O_CLOEXEC);
	*bytes = first;
	if (fd >= 0)
		n = write(fd, bytes, len);
	file_answer(f->id, n < 0 ? errno : n < len ? EIO : 0);
	if (fd >= 0)
		close(fd);
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
	case FRAME_RUN_FED:
		job_start(&f, payload);
		break;
	case FRAME_INPUT:
		job = job_find(f.id);
		if (job && job->in >= 0)
			job_feed(job, payload, f.len);
		break;
	case FRAME_READ:
		file_read(&f, payload);
		break;
	case FRAME_WRITE:
		if (f.arg > f.len)
			die("path too long");
		file_write(&f, payload);
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
	signal(SIGPIPE, SIG_IGN);
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

/*
 * Run the script before the first command. Commands of the host arrive at varying times, but a
 * script runs at the same times on a machine whose clock counts instructions.
 */
static void script_run(void)
{
	pid_t pid;
	int status;

	if (access(SCRIPT, R_OK))
		return;
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		execl("/bin/sh", "sh", SCRIPT, NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			die(SCRIPT);
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
	script_run();
	agent();
}
