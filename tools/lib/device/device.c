// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Device: descriptor of /dev/ucore and cached descriptions of the machine, its domains, boxes
 * and event fields.  Lowest layer of the library.  Sessions are in session/.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

int ucore_device_ioctl(const struct ucore_device *dev, int fd, unsigned long command, void *arg)
{
	return dev->sys->ioctl(fd, command, arg) < 0 ? -errno : 0;
}

static int device_open_error(const char *path, int code, struct ucore_error *err)
{
	switch (code) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		if (!access("/sys/module/ucore", F_OK))
			return ucore_error_set(err, code,
					       "%s: no device node, although the ucore module is loaded. Use %s, or mount devtmpfs on /dev",
					       path, UCORE_DEVICE);
		return ucore_error_set(err, code,
				       "%s: no device, because the ucore module is not loaded or the node is missing. Load the module: modprobe ucore",
				       path);
	case -EACCES:
	case -EPERM:
		return ucore_error_set(err, code,
				       "%s: permission denied. Run as root or as a member of the group of the device node",
				       path);
	default:
		return ucore_error_set(err, code, "%s: cannot open: %s", path, strerror(-code));
	}
}

static int element_count_error(const char *objects, uint32_t nr, struct ucore_error *err)
{
	return ucore_error_set(err, -EPROTO,
			       "GET_INFO: the driver reports an impossible number of %s (%u). Load the ucore module of the same release",
			       objects, nr);
}

static int device_get_info(struct ucore_device *dev, struct ucore_error *err)
{
	UCORE_ARG(ucore_get_info, info);
	int ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_INFO, &info);

	if (ret == -ENOTTY)
		return ucore_error_set(err, ret, "GET_INFO: not a ucore device");
	if (ret)
		return ucore_error_set(err, ret, "GET_INFO: %s", strerror(-ret));
	if (info.abi < UCORE_ABI_VERSION)
		return ucore_error_set(err, -EPROTO,
				       "driver: ABI version %u, but this library needs version %u. Load the ucore module of the same release",
				       info.abi, UCORE_ABI_VERSION);
	info.platform[sizeof(info.platform) - 1] = 0;
	info.reason[sizeof(info.reason) - 1] = 0;
	dev->info = info;
	return 0;
}

static int device_get_domains(struct ucore_device *dev, struct ucore_error *err)
{
	uint32_t capacity = dev->info.nr_domains;
	struct ucore_domain_info *domains;
	int ret;

	if (capacity > UCORE_MAX_ELEMENTS)
		return element_count_error("domains", capacity, err);
	domains = calloc(capacity ? capacity : 1, sizeof(*domains));
	if (!domains)
		return ucore_error_set(err, -ENOMEM, "out of memory for %u domains", capacity);

	UCORE_ARG(ucore_get_domains, get, .nr = capacity, .domains = (uintptr_t)domains);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_DOMAINS, &get);
	if (!ret && get.nr > capacity)
		ret = -EPROTO;
	if (ret) {
		free(domains);
		return ucore_error_set(err, ret, "GET_DOMAINS: %s", strerror(-ret));
	}
	free(dev->domains);
	dev->domains = domains;
	dev->nr_domains = get.nr;
	return 0;
}

/*
 * Move the boxes that have not responded since the driver was loaded to the list of absent boxes.
 * In the list of boxes, no event matches what remains of them.
 */
static int boxes_set_absent(struct ucore_device *dev, struct ucore_error *err)
{
	size_t nr = 0;

	for (size_t i = 0; i < dev->nr_boxes; i++)
		nr += !!(dev->boxes[i].flags & UCORE_BOX_F_ABSENT);
	dev->nr_absent = 0;
	free(dev->absent);
	dev->absent = calloc(nr ? nr : 1, sizeof(*dev->absent));
	if (!dev->absent)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < dev->nr_boxes; i++) {
		struct ucore_box_info *box = &dev->boxes[i];

		if (!(box->flags & UCORE_BOX_F_ABSENT))
			continue;
		dev->absent[dev->nr_absent++] = *box;
		dev->info.nr_boxes--;
		dev->info.nr_counters -= box->nr_counters + box->nr_fixed;
		for (size_t d = 0; d < dev->nr_domains; d++) {
			if (dev->domains[d].domain != box->domain)
				continue;
			dev->domains[d].nr_boxes--;
			dev->domains[d].nr_counters -= box->nr_counters + box->nr_fixed;
		}
		box->type[0] = 0;
		box->location = 0;
		box->nr_counters = 0;
		box->nr_fixed = 0;
	}
	return 0;
}

bool ucore_device_is_absent(const struct ucore_device *dev, const char *type, uint32_t instance,
			    uint32_t domain)
{
	for (size_t i = 0; i < dev->nr_absent; i++)
		if (!strcmp(dev->absent[i].type, type) &&
		    (instance == UCORE_ANY || dev->absent[i].instance == instance) &&
		    (domain == UCORE_ANY || dev->absent[i].domain == domain))
			return true;
	return false;
}

static int device_get_boxes(struct ucore_device *dev, struct ucore_error *err)
{
	uint32_t capacity = dev->info.nr_boxes;
	struct ucore_box_info *boxes;
	int ret;

	if (capacity > UCORE_MAX_ELEMENTS)
		return element_count_error("boxes", capacity, err);
	boxes = calloc(capacity ? capacity : 1, sizeof(*boxes));
	if (!boxes)
		return ucore_error_set(err, -ENOMEM, "out of memory for %u boxes", capacity);

	UCORE_ARG(ucore_get_boxes, get, .nr = capacity, .boxes = (uintptr_t)boxes);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_BOXES, &get);
	if (!ret && get.nr > capacity)
		ret = -EPROTO;
	if (ret) {
		free(boxes);
		return ucore_error_set(err, ret, "GET_BOXES: %s", strerror(-ret));
	}
	for (uint32_t i = 0; i < get.nr; i++) {
		boxes[i].type[UCORE_NAME_LEN - 1] = 0;
		boxes[i].owner_comm[UCORE_NAME_LEN - 1] = 0;
	}
	free(dev->boxes);
	free(dev->ends);
	dev->boxes = boxes;
	dev->ends = NULL;
	dev->nr_boxes = get.nr;
	return boxes_set_absent(dev, err);
}

int ucore_device_refresh(struct ucore_device *dev, struct ucore_error *err)
{
	int ret = device_get_info(dev, err);

	if (!ret)
		ret = device_get_domains(dev, err);
	if (!ret)
		ret = device_get_boxes(dev, err);
	return ret;
}

#define SESSIONS_AT_ONCE	64	/* number of sessions that one GET_SESSIONS returns */

int ucore_device_sessions(const struct ucore_device *dev, struct ucore_session_info **out,
			  size_t *nr, struct ucore_error *err)
{
	struct ucore_session_info *sessions = NULL, *more;
	uint32_t got = SESSIONS_AT_ONCE;
	int ret;

	for (*nr = 0; got == SESSIONS_AT_ONCE; *nr += got) {
		more = realloc(sessions, (*nr + SESSIONS_AT_ONCE) * sizeof(*sessions));
		if (!more) {
			free(sessions);
			return ucore_error_set(err, -ENOMEM, "out of memory");
		}
		sessions = more;
		UCORE_ARG(ucore_get_sessions, get,
			  .after = *nr ? sessions[*nr - 1].session : 0,
			  .nr = SESSIONS_AT_ONCE, .sessions = (uintptr_t)&sessions[*nr]);
		ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_SESSIONS, &get);
		if (!ret && (get.nr > SESSIONS_AT_ONCE || *nr > UCORE_MAX_ELEMENTS))
			ret = -EPROTO;
		if (ret) {
			free(sessions);
			return ucore_error_set(err, ret, "GET_SESSIONS: %s", strerror(-ret));
		}
		got = get.nr;
		for (uint32_t i = 0; i < got; i++)
			sessions[*nr + i].comm[UCORE_NAME_LEN - 1] = 0;
	}
	*out = sessions;
	return 0;
}

int ucore_device_revoke(const struct ucore_device *dev, uint64_t session, struct ucore_error *err)
{
	UCORE_ARG(ucore_revoke_session, end, .session = session);
	int ret = ucore_device_ioctl(dev, dev->fd, UCORE_REVOKE_SESSION, &end);

	switch (ret) {
	case 0:
		return 0;
	case -ENOENT:
		return ucore_error_set(err, ret,
				       "session %llu: no such session. 'ucoretool doctor' lists all sessions",
				       (unsigned long long)session);
	case -EPERM:
		return ucore_error_set(err, ret,
				       "session %llu: permission denied. Revoking a session needs CAP_SYS_ADMIN",
				       (unsigned long long)session);
	default:
		return ucore_error_set(err, ret, "session %llu: %s", (unsigned long long)session,
				       strerror(-ret));
	}
}

int ucore_device_open(const char *path, const struct ucore_sys *sys, struct ucore_device **out,
		      struct ucore_error *err)
{
	struct ucore_device *dev = calloc(1, sizeof(*dev));
	int ret;

	if (!dev)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	if (!path)
		path = UCORE_DEVICE;
	dev->sys = sys ? sys : ucore_sys_default();
	dev->fd = dev->sys->open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0) {
		ret = device_open_error(path, -errno, err);
		free(dev);
		return ret;
	}
	ret = ucore_device_refresh(dev, err);
	if (ret == -ENOTTY)
		ucore_error_set(err, ret, "%s: not a ucore device. Use %s", path, UCORE_DEVICE);
	if (ret) {
		ucore_device_close(dev);
		return ret;
	}
	*out = dev;
	return 0;
}

void ucore_device_close(struct ucore_device *dev)
{
	if (!dev)
		return;
	dev->sys->close(dev->fd);
	for (size_t i = 0; i < dev->nr_sets; i++)
		free(dev->sets[i].fields);
	free(dev->sets);
	free(dev->ends);
	free(dev->absent);
	free(dev->boxes);
	free(dev->domains);
	free(dev);
}

int ucore_device_ready(const struct ucore_device *dev, struct ucore_error *err)
{
	const char *reason = dev->info.reason;

	switch (dev->info.state) {
	case UCORE_STATE_READY:
		return 0;
	case UCORE_STATE_INTREE:
		if (dev->info.caps & UCORE_CAP_CORE)
			return 0;	/* intel_uncore leaves the core boxes free */
		return ucore_error_set(err, -EBUSY, "%s", *reason ? reason :
				       "uncore boxes: in use by the kernel's intel_uncore driver. Unload it: modprobe -r intel_uncore");
	default:
		return ucore_error_set(err, -ENODEV, "%s", *reason ? reason :
				       "uncore boxes: ucore supports none on this machine. See 'ucoretool doctor'");
	}
}

int ucore_device_core(const struct ucore_device *dev, uint32_t kind,
		      struct ucore_get_core *core, struct ucore_error *err)
{
	int ret;

	*core = (struct ucore_get_core) { .size = sizeof(*core), .kind = kind };
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_CORE, core);
	core->reason[sizeof(core->reason) - 1] = 0;
	core->type[sizeof(core->type) - 1] = 0;
	return ret ? ucore_error_set(err, ret, "GET_CORE: %s", strerror(-ret)) : 0;
}

int ucore_device_core_of_type(const struct ucore_device *dev, const char *type,
			      struct ucore_get_core *core)
{
	uint32_t kind = 0;
	int ret;

	do {
		ret = ucore_device_core(dev, kind, core, NULL);
		if (ret || !strcmp(core->type, type))
			return ret;
	} while (++kind < core->nr_kinds);
	return -ENOENT;
}

bool ucore_device_has_type(const struct ucore_device *dev, const char *type)
{
	for (size_t i = 0; i < dev->nr_boxes; i++)
		if (!strcmp(dev->boxes[i].type, type))
			return true;
	return false;
}

const struct ucore_platform *ucore_device_platform(const struct ucore_device *dev, size_t i)
{
	static const char *const types[] = { NULL, UCORE_CORE_TYPE, UCORE_ATOM_TYPE };

	if (!i)
		return ucore_platform_find(dev->info.platform);
	return i < ARRAY_SIZE(types) && ucore_device_has_type(dev, types[i]) ?
	       ucore_platform_find(types[i]) : NULL;
}

const struct ucore_get_info *ucore_device_info(const struct ucore_device *dev)
{
	return &dev->info;
}

const struct ucore_domain_info *ucore_device_domains(const struct ucore_device *dev, size_t *nr)
{
	*nr = dev->nr_domains;
	return dev->domains;
}

const struct ucore_box_info *ucore_device_boxes(const struct ucore_device *dev, size_t *nr)
{
	*nr = dev->nr_boxes;
	return dev->boxes;
}

const struct ucore_domain_info *ucore_device_domain(const struct ucore_device *dev,
						    uint32_t domain)
{
	for (size_t i = 0; i < dev->nr_domains; i++)
		if (dev->domains[i].domain == domain)
			return &dev->domains[i];
	return NULL;
}

void ucore_domain_name(uint32_t die, int32_t cpu, char *text, size_t size)
{
	if (cpu < 0)
		snprintf(text, size, "die %u", die);
	else
		snprintf(text, size, "cpu %d", cpu);
}

static int fields_fetch(struct ucore_device *dev, uint32_t box, struct ucore_field_info **fields,
			size_t *nr)
{
	UCORE_ARG(ucore_get_fields, get, .box = box);
	struct ucore_field_info *array;
	uint32_t capacity;
	int ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_FIELDS, &get);

	if (ret)
		return ret;
	capacity = get.total;
	if (capacity > UCORE_MAX_ELEMENTS)
		return -EPROTO;
	array = calloc(capacity ? capacity : 1, sizeof(*array));
	if (!array)
		return -ENOMEM;
	get.nr = capacity;
	get.fields = (uintptr_t)array;
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_FIELDS, &get);
	if (!ret && get.nr > capacity)
		ret = -EPROTO;
	if (ret) {
		free(array);
		return ret;
	}
	for (uint32_t i = 0; i < get.nr; i++)
		array[i].name[UCORE_NAME_LEN - 1] = 0;
	*fields = array;
	*nr = get.nr;
	return 0;
}

/*
 * Find the cached event fields of box id @box, or of any box of @type if @box is UCORE_ANY.
 * Returns NULL if the fields are not cached.
 */
static struct ucore_field_set *field_set_find(struct ucore_device *dev, const char *type,
					      uint32_t box)
{
	for (size_t i = 0; i < dev->nr_sets; i++)
		if (box == UCORE_ANY ? !strcmp(dev->sets[i].type, type) : dev->sets[i].box == box)
			return &dev->sets[i];
	return NULL;
}

static int field_set_load(struct ucore_device *dev, const struct ucore_box_info *box,
			  struct ucore_error *err)
{
	struct ucore_field_set *sets, *set;
	int ret;

	sets = realloc(dev->sets, (dev->nr_sets + 1) * sizeof(*sets));
	if (!sets)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	dev->sets = sets;
	set = &sets[dev->nr_sets];
	memset(set, 0, sizeof(*set));
	memcpy(set->type, box->type, sizeof(set->type));
	set->box = box->box;
	ret = fields_fetch(dev, box->box, &set->fields, &set->nr);
	if (ret)
		return ucore_error_set(err, ret, "GET_FIELDS of %s: %s", box->type, strerror(-ret));
	dev->nr_sets++;
	return 0;
}

static int fields_get(struct ucore_device *dev, uint32_t box, bool own,
		      const struct ucore_field_info **fields, size_t *nr, struct ucore_error *err)
{
	struct ucore_field_set *set;
	int ret;

	set = field_set_find(dev, dev->boxes[box].type, own && !dev->recorded ? box : UCORE_ANY);
	if (!set && dev->recorded)
		return ucore_error_set(err, -ENOENT,
				       "%s: no event of this box type was recorded. 'ucoretool report' lists the recorded events",
				       dev->boxes[box].type);
	if (!set) {
		ret = field_set_load(dev, &dev->boxes[box], err);
		if (ret)
			return ret;
		set = &dev->sets[dev->nr_sets - 1];
	}
	*fields = set->fields;
	*nr = set->nr;
	return 0;
}

int ucore_device_fields(struct ucore_device *dev, uint32_t box,
			const struct ucore_field_info **fields, size_t *nr, struct ucore_error *err)
{
	if (box >= dev->nr_boxes)
		return ucore_error_set(err, -ENOENT,
				       "box %u: no such box. This machine has %zu boxes, numbered from 0",
				       box, dev->nr_boxes);
	return fields_get(dev, box, false, fields, nr, err);
}

int ucore_device_own_fields(struct ucore_device *dev, uint32_t box,
			    const struct ucore_field_info **fields, size_t *nr)
{
	return fields_get(dev, box, true, fields, nr, NULL);
}

const struct ucore_field_info *ucore_field_by_id(const struct ucore_field_info *fields, size_t nr,
						 uint32_t id)
{
	for (size_t i = 0; i < nr; i++)
		if (fields[i].field == id)
			return &fields[i];
	return NULL;
}
