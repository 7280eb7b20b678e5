# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Generates the event tables of libucore as C from CSV files:
#   awk -f generate.awk map/*.csv PLATFORM.csv ...
# The script uses POSIX awk only, so that a build machine needs no more than mawk.
#
# Platforms share many events.  Each event name is stored once in one string, and each distinct
# event once in the array ucore_rows.  A platform is a list of indices into that array.

function fail(text)
{
	printf("%s:%d: %s\n", FILENAME, FNR, text) > "/dev/stderr"
	failed = 1
	exit 1
}

# Split a line of CSV with quotes into cell[column name]; the first line names the columns
function csv(line,	n, value, i, c, quoted)
{
	n = 1
	value = ""
	quoted = 0
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\"") {
			quoted = !quoted
		} else if (c == "," && !quoted) {
			cells[n++] = value
			value = ""
		} else if (c != "\r") {
			value = value c
		}
	}
	cells[n] = value
	if (!columns) {
		for (i in cell)
			delete cell[i]
		for (i = 1; i <= n; i++)
			column[i] = cells[i]
		columns = n
		return 0
	}
	if (n != columns)
		fail("expected " columns " columns, found " n)
	for (i = 1; i <= n; i++)
		cell[column[i]] = cells[i]
	return 1
}

# Return the number in column @name of the current line, decimal or 0x hexadecimal; 0 if the
# column is missing
function number(name,	text, i, value, digit)
{
	text = (name in cell) ? tolower(cell[name]) : ""
	if (text !~ /^0x/)
		return text + 0
	value = 0
	for (i = 3; i <= length(text); i++) {
		digit = index("0123456789abcdef", substr(text, i, 1))
		if (!digit)
			fail(name " " cell[name] " is no number")
		value = value * 16 + digit - 1
	}
	return value
}

function checked(name, value, bits)
{
	value += 0
	if (value >= 2 ^ bits)
		fail(name " " value " has more than " bits " bits")
	return value
}

# Convert a list of counters, "0,1,2,3", to a mask, shifted left by @shift bits
function counter_mask(list, shift,	n, i, numbers, mask)
{
	mask = 0
	n = split(list, numbers, ",")
	for (i = 1; i <= n; i++) {
		if (numbers[i] !~ /^ *[0-9]+ *$/)
			fail("Counter " list " is no list of numbers")
		mask += 2 ^ (numbers[i] + shift)
	}
	return mask
}

# Extract the bits @bits ("9:4" or "4") of @value
function bits_of(value, bits,	ends)
{
	if (split(bits, ends, ":") == 1)
		ends[2] = ends[1]
	return int(value / 2 ^ ends[2]) % 2 ^ (ends[1] - ends[2] + 1)
}

# Return line @i of map/filters.csv as a C initializer of struct ucore_need; "" if the line sets
# no field.  @value is the FILTER_VALUE column of the event.
function need_code(i, value,	bits)
{
	if (filter_field[i] == "-")
		return ""
	if (value) {
		if (filter_bits[i] == "")
			fail("FILTER_VALUE " value ": map/filters.csv does not tell its bits")
		bits = bits_of(value, filter_bits[i])
		return bits ? sprintf("{ UCORE_FIELD_%s, UCORE_NEED_GIVEN, %d }", filter_field[i],
				      bits) : ""
	}
	if (filter_default[i] == "none")
		return ""
	return sprintf("{ %s, UCORE_NEED_%s, 0 }",
		       filter_field[i] == "" ? "0" : "UCORE_FIELD_" filter_field[i],
		       filter_default[i])
}

# Return the index in ucore_filters of a filter in Intel's spelling; define a new filter once
function filter_number(spelling, value,	n, i, j, parts, lines, needs, nr, seen, field, code, key)
{
	if (spelling == "" || spelling == "na" || spelling == "null")
		return 0
	key = spelling " " value
	if (key in filters)
		return filters[key]
	n = split(spelling, parts, /, */)
	nr = 0
	needs = ""
	for (i = 1; i <= n; i++) {
		if (parts[i] in filter_same)
			parts[i] = filter_same[parts[i]]
		if (!(parts[i] in filter_lines))
			fail("unknown filter '" parts[i] "': add it to map/filters.csv")
		split(filter_lines[parts[i]], lines, " ")
		for (j = 1; j in lines; j++) {
			field = filter_field[lines[j]]
			code = need_code(lines[j], value)
			if (code == "" || ((field in seen) && field != ""))
				continue
			seen[field] = 1
			needs = needs (nr ? ", " : "") code
			nr++
		}
	}
	if (!nr)
		return filters[key] = 0
	filters[key] = ++nr_filters
	filter_code = filter_code sprintf("\t{ \"%s\", %d, { %s } },\n", spelling, nr, needs)
	return nr_filters
}

# Return the number (from 1) of the pattern in map/bytes.csv that matches an event's name; 0 if the
# event does not count bytes
function bytes_number(name,	i)
{
	for (i = 1; i <= nr_patterns; i++)
		if (name ~ pattern[i])
			return i
	return 0
}

# Return the offset of an event's name in the string ucore_row_names
function name_offset(name)
{
	if (!(name in offsets)) {
		offsets[name] = names_length + 0
		names_length += length(name) + 1
		name_code = name_code "\t\"" name "\\0\"\n"
	}
	return offsets[name]
}

# Add an event to the current platform; @code initializes all members of the row except the name
function row_add(name, unit, code,	bytes, text)
{
	if ((nr_platforms, name) in known)
		fail("two events " name)
	known[nr_platforms, name] = 1
	bytes = bytes_number(name)
	text = sprintf("%d, %d, %d, %d, %s", name_offset(name), unit, pattern_bytes[bytes] + 0,
		       pattern_per[bytes] + 0, code)
	if (!(text in row_numbers)) {
		row_numbers[text] = nr_rows + 0
		row_code = row_code "\t{ " text " },\n"
		if (++nr_rows > 65536)
			fail("more than 65536 events: row numbers have 16 bits")
	}
	unit_rows[nr_platforms, unit] = unit_rows[nr_platforms, unit] row_numbers[text] ", "
	nr_unit_rows[nr_platforms, unit]++
}

# Format a 32-bit value as hexadecimal in two halves, because %x of some awks is limited to 31 bits
function hex32(value)
{
	return sprintf("0x%04x%04x", int(value / 65536), value % 65536)
}

# Return the index of the line of map/units.csv for an event.  Of several lines of one unit it is the
# first whose prefix begins the event's name.
function unit_of(unit, event,	lines, i, n)
{
	if (!(unit in unit_lines))
		fail("unknown unit '" unit "': add it to map/units.csv")
	n = split(unit_lines[unit], lines, " ")
	for (i = 1; i <= n; i++)
		if (n == 1 || index(event, unit_prefix[lines[i]]) == 1)
			return lines[i]
	fail("no prefix of unit '" unit "' in map/units.csv begins " event)
}

# Set ch_mask and fc_mask of an IIO event.  The event file has them in the columns PortMask and
# FCMask, in the extended umask, or in both.  In this case both must have the same values.
function iio_masks(ext,	high)
{
	ch_mask = number("PortMask")
	fc_mask = number("FCMask")
	high = int(ext / 65536)
	if (ext % 16 || high > 7)
		fail("UMaskExt " cell["UMaskExt"] " has other bits than the two masks")
	ext = int(ext / 16) % 4096
	if ((ext && ch_mask && ext != ch_mask) || (high && fc_mask && high != fc_mask))
		fail("UMaskExt " cell["UMaskExt"] " contradicts PortMask or FCMask")
	ch_mask = checked("PortMask", ch_mask ? ch_mask : ext, 12)
	fc_mask = checked("FCMask", fc_mask ? fc_mask : high, 3)
}

function event_line(	name, unit, event, umask, occ, ext, thresh, counters, alt, fixed, e5)
{
	name = cell["Unit"] (cell["CounterType"] == "FREERUN" ? " FREERUN" : "")
	unit = unit_of(name, cell["EventName"])
	# "in" first, because a read of cell["ExtSel"] would create the element
	e5 = "ExtSel" in cell
	event = checked("EventCode", number("EventCode"), 8) + (e5 && cell["ExtSel"] == "1" ? 256 : 0)
	umask = checked("UMask", number("UMask"), 8)
	occ = 0
	# PCU: event files have the occupancy select in bits 7:6 of the umask, and no other umask
	if (unit_type[unit] == "pcu") {
		if (umask % 64)
			fail("UMask " cell["UMask"] " has other bits than the occupancy select")
		occ = umask / 64
		umask = 0
	}
	ext = number("UMaskExt")
	ch_mask = fc_mask = 0
	if (unit_ext[unit] == "iio") {
		iio_masks(ext)
		ext = 0
	}
	checked("UMaskExt", ext, unit_ext[unit] + 0)
	thresh = checked("CounterMask", number("CounterMask"), 5)
	# only controls of PCU, QPI and R3QPI have the extension bit of the event select (bit 8)
	if (event > 255 && unit_type[unit] !~ /^(pcu|qpi|r3qpi)$/)
		fail("ExtSel 1 in unit " name)
	fixed = -1
	counters = alt = 0
	if (cell["CounterType"] == "FREERUN" || cell["CounterType"] == "FIXED" ||
	    cell["Counter"] == "FIXED") {
		fixed = cell["Counter"] + 0	# of "FIXED" units the only one
		event = umask = occ = 0
	} else {
		counters = counter_mask(cell["Counter"], 0)
		if (e5 && unit_halves[unit])
			alt = counter_mask(cell["Counter"], unit_halves[unit])
	}
	row_add(cell["EventName"], unit, row_text(event, umask, occ, ext, thresh, counters, alt,
						  fixed, filter_number(cell["Filter"],
								       number("FILTER_VALUE"))))
	fixed_wanted[unit] = unit_fixed[unit]
	if (fixed >= 0 && cell["EventName"] ~ /HCLOCKTICKS$/)
		half_clock[unit] = 1
}

# At the end of a platform, add an event for each fixed counter that map/units.csv names, unless the
# counter counts HCLOCKTICKS on this platform
function platform_end(	i)
{
	ch_mask = fc_mask = 0
	for (i = 0; i < nr_units; i++)
		if (fixed_wanted[i] != "" && !(i in half_clock))
			row_add(unit_prefix[i] unit_fixed[i], i, row_text(0, 0, 0, 0, 0, 0, 0, 0, 0))
	for (i = 0; i < nr_units; i++) {
		delete fixed_wanted[i]
		delete half_clock[i]
	}
}

function row_text(event, umask, occ, ext, thresh, counters, alt, fixed, filter)
{
	return sprintf("0x%x, 0x%x, %d, %s, 0x%x, %d, %d, 0x%x, 0x%x, %d, %d", event, umask, occ,
		       hex32(ext), ch_mask, fc_mask, thresh, counters, alt, fixed, filter)
}

function default_code(word)
{
	if (word == "none")
		return word
	if (word == "")
		return "VALUE"
	if (word == "no-opcode")
		return "NO_OPCODE"
	if (word != "all" && word != "zero")
		fail("unknown default '" word "'")
	return toupper(word)
}

function filter_line(	name)
{
	name = cell["Filter"]
	if (cell["Field"] ~ /^=/) {
		filter_same[name] = substr(cell["Field"], 2)
		return
	}
	filter_lines[name] = filter_lines[name] " " ++nr_filter_lines
	filter_field[nr_filter_lines] = cell["Field"]
	filter_default[nr_filter_lines] = default_code(cell["Default"])
	filter_bits[nr_filter_lines] = cell["Bits"]
}

# Print the array of a platform's events, sorted by unit in the order of map/units.csv
function platform_rows(p,	i, code, nr)
{
	code = ""
	nr = 0
	for (i = 0; i < nr_units; i++) {
		code = code unit_rows[p, i]
		nr += nr_unit_rows[p, i]
	}
	platform_code = platform_code sprintf("\t{ \"%s\", %d, %s_rows },\n", platform[p], nr,
					      platform[p])
	gsub(/([0-9]+, ){16}/, "&\n\t", code)
	return code
}

BEGIN { nr_units = 0 }

FNR == 1 {
	platform_end()
	columns = 0
	kind = FILENAME
	sub(/.*\//, "", kind)
	sub(/[.]csv$/, "", kind)
	if (kind != "units" && kind != "filters" && kind != "bytes")
		platform[++nr_platforms] = kind
}

/^#/ || /^[ \t\r]*$/ { next }

!csv($0) { next }

kind == "units" {
	unit_lines[cell["Unit"]] = unit_lines[cell["Unit"]] " " nr_units
	unit_name[nr_units] = cell["Unit"]
	unit_type[nr_units] = cell["Type"]
	unit_prefix[nr_units] = cell["Prefix"]
	unit_fixed[nr_units] = cell["Fixed"]
	unit_halves[nr_units] = cell["Halves"] + 0
	unit_ext[nr_units] = cell["Ext"]
	nr_units++
	next
}

kind == "filters" {
	filter_line()
	next
}

kind == "bytes" {
	pattern[++nr_patterns] = cell["Pattern"]
	pattern_bytes[nr_patterns] = checked("Bytes", cell["Bytes"], 8)
	pattern_per[nr_patterns] = checked("Per", cell["Per"], 8)
	next
}

{ event_line() }

END {
	if (failed)
		exit 1
	platform_end()
	if (failed)
		exit 1
	print "// Generated by tools/events/generate.awk: do not edit."
	print "#include \"internal.h\"\n"
	print "const struct ucore_event_unit ucore_event_units[] = {"
	for (i = 0; i < nr_units; i++)
		printf("\t{ \"%s\", \"%s\", \"%s\" },\n", unit_name[i], unit_type[i],
		       unit_prefix[i])
	print "};\n"
	printf("const struct ucore_filter ucore_filters[] = {\n\t{ NULL },\n%s};\n\n", filter_code)
	printf("const char ucore_row_names[] =\n%s;\n\n", name_code)
	printf("const struct ucore_row ucore_rows[] = {\n%s};\n\n", row_code)
	for (i = 1; i <= nr_platforms; i++)
		printf("static const uint16_t %s_rows[] = {\n\t%s\n};\n\n", platform[i],
		       platform_rows(i))
	printf("const struct ucore_platform ucore_platforms[] = {\n%s};\n\n", platform_code)
	print "const size_t ucore_nr_platforms = ARRAY_SIZE(ucore_platforms);"
}
