#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Prints Documentation/event-names.md: the meanings of the parts of Intel's event names, and the
# share of each platform's events that they explain.
# Usage: page.sh UCORETOOL
set -u
here=$(cd "$(dirname "$0")" && pwd)
tool=$1

cat <<'EOF'
<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->
<!-- Made by tools/metrics/page.sh from tools/metrics/words/parts.csv: change that. -->
# The parts of Intel's event names

`ucoretool list events -v` explains each event. Common events have an explanation in a sentence. The
explanation of any other event consists of the explanations of the parts of its name, in order, with
a colon at the first point of the name. A part that is not in this table is printed unchanged, in
capitals.

| platform | events | completely explained, % |
|---|---|---|
EOF
for platform in snbep ivbep hswep bdxep bdxde skx clx cpx icx snr spr emr gnr srf grr cwf \
		nhm wsm snb ivb hsw bdw skl icl rkl tgl tglh adl mtl arl lnl ptl core; do
	"$tool" list events -v -j --platform "$platform" | awk -v name="$platform" '
		/"explained":true/ { whole++ }
		END { printf("| %s | %d | %.1f |\n", name, NR, int(1000 * whole / NR) / 10) }'
done
cat <<'EOF'

A part may have several words of a name. The longest part that matches is used. *n* is a number.

| part | meaning |
|---|---|
EOF
awk -v page=1 -f "$here/generate.awk" "$here/words/texts.csv" "$here/words/events.csv" \
	"$here/words/parts.csv" "$here"/*.csv
