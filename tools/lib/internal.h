/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the library's files share and its users do not see.
 */
#ifndef UCORE_INTERNAL_H
#define UCORE_INTERNAL_H

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Every ioctl struct starts with its size, and with zeros where we say nothing */
#define UCORE_ARG(type, name, ...) struct type name = { .size = sizeof(name), __VA_ARGS__ }

/* Fields of one box type, asked for once */
struct ucore_field_set {
	char type[UCORE_NAME_LEN];
	struct ucore_field *fields;
	size_t nr;
};

struct ucore_device {
	const struct ucore_sys *sys;
	int fd;
	struct ucore_info info;
	struct ucore_die_info *dies;
	size_t nr_dies;
	struct ucore_box_info *boxes;
	size_t nr_boxes;
	struct ucore_field_set *sets;
	size_t nr_sets;
};

struct ucore_session {
	struct ucore_device *dev;
	int fd;
	struct ucore_session_config config;
	struct ucore_event *events;
	size_t nr_events;
	struct ucore_slot *slots;
	size_t nr_slots;
	/* READ buffers, in the kernel's order, and the values in slot order */
	struct ucore_value *raw;
	struct ucore_value *values;
	struct ucore_read_die *dies;
	size_t nr_dies;
};

/* Generated from tools/events/ at build time */
extern const struct ucore_platform ucore_platforms[];
extern const size_t ucore_nr_platforms;

/* error.c */
int ucore_error_set(struct ucore_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* table.c: the name among @nr that looks most like @word, NULL if none does */
struct ucore_guess {
	const char *word;
	const char *best;
	size_t distance;
};

void ucore_guess_start(struct ucore_guess *guess, const char *word);
void ucore_guess_offer(struct ucore_guess *guess, const char *name);

/* device.c: an ioctl, 0 or -errno */
int ucore_device_ioctl(const struct ucore_device *dev, int fd, unsigned long command, void *arg);
const struct ucore_field *ucore_field_by_id(const struct ucore_field *fields, size_t nr,
					    uint32_t id);

#endif /* UCORE_INTERNAL_H */
