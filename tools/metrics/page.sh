#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Documentation/event-names.md: what the parts of Intel's event names mean, and how much
# of each platform they explain.  page.sh UCORETOOL
set -u
here=$(cd "$(dirname "$0")" && pwd)
tool=$1

cat <<'EOF'
<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->
<!-- Made by tools/metrics/page.sh from tools/metrics/words/parts.csv: change that. -->
# The words in Intel's event names

`ucoretool list events -v` says what each event counts. Those that people use have a sentence of
their own; the line of any other is put together from the parts of its name, in order, with a colon
where the name has its first point. A part that this table lacks stands in the line as it stands in
the name, in capitals.

| platform | events | explained whole, % |
|---|---|---|
EOF
for platform in snbep ivbep hswep bdxep bdxde skx clx cpx icx snr spr emr gnr srf grr cwf core; do
	"$tool" list events -v -j --platform "$platform" | awk -v name="$platform" '
		/"explained":true/ { whole++ }
		END { printf("| %s | %d | %.1f |\n", name, NR, int(1000 * whole / NR) / 10) }'
done
cat <<'EOF'

A part may be several words of a name: the longest that fits is taken. *n* is a number.

| part | means |
|---|---|
EOF
awk -v page=1 -f "$here/generate.awk" "$here/words/texts.csv" "$here/words/events.csv" \
	"$here/words/parts.csv" "$here"/*.csv
