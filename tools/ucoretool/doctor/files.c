// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Access to files below --root for the checks of `ucoretool doctor`.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"

void doctor_path(const struct doctor *doctor, const char *path, char *text, size_t size)
{
	snprintf(text, size, "%s%s", doctor->root, path);
}

bool doctor_file_exists(const struct doctor *doctor, const char *path)
{
	char name[512];

	doctor_path(doctor, path, name, sizeof(name));
	return !access(name, F_OK);
}

bool doctor_file_read(const struct doctor *doctor, const char *path, char *text, size_t size)
{
	char name[512];
	FILE *stream;
	size_t length;

	*text = 0;
	doctor_path(doctor, path, name, sizeof(name));
	stream = fopen(name, "re");
	if (!stream)
		return false;
	length = fread(text, 1, size - 1, stream);
	text[length] = 0;
	fclose(stream);
	return true;
}

bool doctor_file_has_line(const struct doctor *doctor, const char *path, const char *start,
			  const char *inside)
{
	char name[512], line[1024];
	bool found = false;
	FILE *stream;

	doctor_path(doctor, path, name, sizeof(name));
	stream = fopen(name, "re");
	if (!stream)
		return false;
	while (!found && fgets(line, sizeof(line), stream))
		found = !strncmp(line, start, strlen(start)) && (!inside || strstr(line, inside));
	fclose(stream);
	return found;
}

bool doctor_directory_has(const struct doctor *doctor, const char *path, const char *start)
{
	struct dirent *entry;
	bool found = false;
	char name[512];
	DIR *dir;

	doctor_path(doctor, path, name, sizeof(name));
	dir = opendir(name);
	while (dir && !found && (entry = readdir(dir)))
		found = !strncmp(entry->d_name, start, strlen(start));
	if (dir)
		closedir(dir);
	return found;
}
