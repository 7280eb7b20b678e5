#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Where stacks and links lead, by ucoretool on a fake device with PCI devices that are
# files below $R.  B is where the test programs are.

setup()
{
	export UCORE_FAKE="machine=skx"
	TMP=$BATS_TEST_TMPDIR
	R=$TMP/root
	mkdir -p "$R/sys/bus/pci/devices" "$R/usr/share/misc"
}

# Run ucoretool; stdout in $output, stderr in $err, status in $status
tool()
{
	status=0
	output=$("$B/fake_tool" "$@" 2>"$TMP/err") || status=$?
	err=$(cat "$TMP/err")
}

# A function: its path below a root bus, class, vendor, device
device()
{
	local at=$R/sys/devices/pci$1
	mkdir -p "$at"
	echo "$2" >"$at/class"
	echo "$3" >"$at/vendor"
	echo "$4" >"$at/device"
	ln -s "../../../devices/pci$1" "$R/sys/bus/pci/devices/${1##*/}"
}

# Two network functions behind port 0 of die 0's iio1, a disk behind port 2; a USB
# controller on the bus of iio0; bridges and what the chip shows of itself
machine()
{
	device 0000:00/0000:00:00.0 0x060000 0x8086 0x2020
	device 0000:00/0000:00:14.0 0x0c0330 0x8086 0xa1af
	device 0000:10/0000:10:00.0 0x060400 0x8086 0x2030
	device 0000:10/0000:10:00.0/0000:11:00.0 0x020000 0x8086 0x1572
	device 0000:10/0000:10:00.0/0000:11:00.1 0x020000 0x8086 0x1572
	device 0000:10/0000:10:02.0 0x060400 0x8086 0x2032
	device 0000:10/0000:10:02.0/0000:12:00.0 0x010802 0x144d 0xa824
	device 0000:10/0000:10:05.2 0x088000 0x8086 0x2025
	device 0000:10/0000:10:08.0 0x110100 0x8086 0x2066
}

# Lines with a tab are items of what is above them, those with two are not asked for
names()
{
	sed 's/^>/\t/; s/^\t>/\t\t/' >"$R/usr/share/misc/pci.ids" <<END
# what a file of names has
144d  Samsung Electronics Co Ltd
>a824  NVMe SSD Controller PM173X
>>144d a801  One of them
8086  Intel Corporation
>1572  Ethernet Controller X710 for 10GbE SFP+
>>8086 0000  Another
C 01  Mass storage controller
>08  Non-Volatile memory controller
>>02  NVM Express
C 02  Network controller
>00  Ethernet controller
C 0c  Serial bus controller
>03  USB controller
END
}

@test "list --topology shows stacks with their ports and devices, and links with their partners" {
	machine
	names
	tool list --topology --root "$R"
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$(grep -v '^  1' <<<"$output")" = "DIE  BOX       LEADS TO       GT/s  PORT  ADDRESS       DEVICE
  0  iio0      0000:00                    0000:00:14.0  USB controller: Intel Corporation Device a1af
  0  iio1      0000:10              0     0000:11:00.0  Ethernet controller: Intel Corporation Ethernet Controller X710 for 10GbE SFP+
  0  iio1      0000:10              0     0000:11:00.1  Ethernet controller: Intel Corporation Ethernet Controller X710 for 10GbE SFP+
  0  iio1      0000:10              1     0000:10:01.0
  0  iio1      0000:10              2     0000:12:00.0  Non-Volatile memory controller: Samsung Electronics Co Ltd NVMe SSD Controller PM173X
  0  iio2      0000:20
  0  iio3      0000:30
  0  iio4      0000:40
  0  iio5      -
  0  upi0      die 1 link 1
  0  upi1      die 1 link 0
  0  upi2      not trained    0.00" ]
	[[ $output == *"  1  iio1      0000:90
"* ]]
	[[ $output == *"  1  upi0      die 0 link 1
"* ]]
}

@test "list --topology works without pci.ids and without sysfs" {
	machine
	tool list --topology --root "$R" boxes iio1
	[ "$status" -eq 0 ]
	[ "$(sed -n 2p <<<"$output")" = "  0  iio1      0000:10              0     0000:11:00.0  0200: 8086:1572" ]
	[ "$(wc -l <<<"$output")" -eq 6 ]
	tool list --topology --root "$TMP/nowhere" boxes iio1
	[ "$status" -eq 0 ]
	[ "$(sed -n 2p <<<"$output")" = "  0  iio1      0000:10              0     0000:10:00.0" ]
}

@test "list --topology shows other boxes of a stack by name, as CSV and JSON" {
	machine
	tool list --topology --root "$R" -x, boxes irp1
	[ "$output" = "socket,die,box,leads_to,gt_per_s,ports,note,address,device
0,0,irp1,0000:10,,0,,0000:11:00.0,0200: 8086:1572
0,0,irp1,0000:10,,0,,0000:11:00.1,0200: 8086:1572
0,0,irp1,0000:10,,1,,0000:10:01.0,
0,0,irp1,0000:10,,2,,0000:12:00.0,0108: 144d:a824
1,1,irp1,0000:90,,,,," ]
	tool list --topology --root "$R" -j boxes upi2
	[ "$output" = '{"socket":0,"die":0,"box":"upi2","leads_to":"not trained","gt_per_s":0}
{"socket":1,"die":1,"box":"upi2","leads_to":"not trained","gt_per_s":0}' ]
	UCORE_FAKE="machine=skx dies=1" tool list --topology --root "$R" -j boxes upi0
	[ "$output" = '{"socket":0,"die":0,"box":"upi0","leads_to":"link 1 of a die that is not online"}' ]
}

@test "list --topology shows - for unknown connections" {
	UCORE_FAKE="machine=gnr dies=1" tool list --topology --root "$R"
	[ "$status" -eq 0 ]
	[[ $output == *"  0  iio0      -"* ]]
	UCORE_FAKE="machine=skx dies=1 old=1" tool list --topology --root "$R"
	[ "$status" -eq 0 ]
	[[ $output == *"  0  upi0      -"* ]]
	tool list --topology --root "$R" boxes cha
	[ "$status" -eq 1 ]
	[[ $err == *"no stack or link matches here"* ]]
	UCORE_FAKE="machine=skx fail=4:5" tool list --topology
	[ "$status" -eq 1 ]
	[[ $err == *"GET_LINKS"* ]]
}

@test "list --topology refuses options that cannot be combined" {
	for words in "list events --topology" "list --rejected --topology" "list --root x" \
			"stat -e imc/CAS_COUNT.RD/ --root x"; do
		tool $words
		[ "$status" -eq 2 ]
		[ "$(wc -l <<<"$err")" -eq 1 ]
	done
}

@test "stat --per-device shows the devices of a stack with its traffic" {
	machine
	names
	tool stat --per-device --root "$R" --timeout 1 -e iio/CLOCKTICKS/ -e upi0/CLOCKTICKS,die=0/
	[ "$status" -eq 0 ]
	[[ $(head -n1 <<<"$output") == "DIE  BOX "*"EVENT "*"DEVICE" ]]
	[[ $output == *"  0  iio1 "*"iio/CLOCKTICKS/ "*"0000:11:00.0 Ethernet controller: Intel Corporation Ethernet Controller X710 for 10GbE SFP+ and 2 more
"* ]]
	[[ $output == *"  0  iio2 "*"iio/CLOCKTICKS/ "*"0000:20
"* ]]
	[[ $output == *"  0  upi0 "*"die 1 link 1"* ]]
	[[ $(grep "  0  iio5 " <<<"$output") == *"iio/CLOCKTICKS/" ]]
}

@test "stat --per-device shows the devices of the port in the event name" {
	machine
	devices()
	{
		tool stat --per-device --root "$R" --timeout 1 -j "$@"
		[ "$status" -eq 0 ]
		sed -n 's/.*"device":"\(.*\)"}$/\1/p' <<<"$output"
	}
	[ "$(devices -e iio1/DATA_REQ_OF_CPU.MEM_READ.PART0,die=0/ -e iio1/DATA_REQ_OF_CPU.MEM_READ.PART1,die=0/)" = \
"0000:11:00.0 0200: 8086:1572; 0000:11:00.1 0200: 8086:1572
0000:10" ]
	[ "$(devices -e iio1/DATA_REQ_OF_CPU.MEM_READ.PART2,die=0/ -e iio_free1/BW_IN.PORT2,die=0/ -e iio1/event=1,die=0/)" = \
"0000:12:00.0 0108: 144d:a824
0000:12:00.0 0108: 144d:a824
0000:11:00.0 0200: 8086:1572; 0000:11:00.1 0200: 8086:1572; 0000:12:00.0 0108: 144d:a824" ]
}

@test "stat --per-device adds the last column to CSV" {
	machine
	tool stat --per-device --root "$R" --timeout 1 -x';' -e iio0/CLOCKTICKS,die=0/ -e iio5/CLOCKTICKS,die=0/
	[ "$status" -eq 0 ]
	[[ $(head -n1 <<<"$output") == *";time;device" ]]
	[[ $(sed -n 2p <<<"$output") == *";0000:00:14.0 0c03: 8086:a1af" ]]
	[[ $(sed -n 3p <<<"$output") == *"Z;" ]]
	tool stat --per-box --timeout 1 -x';' -e iio0/CLOCKTICKS,die=0/
	[[ $(head -n1 <<<"$output") == *";time" ]]
}

@test "stat --per-device shortens long lists of devices" {
	for i in $(seq 10 40); do
		device "0000:10/0000:10:00.0/0000:11:$i.0" 0x020000 0x8086 0x1572
	done
	tool stat --per-device --root "$R" --timeout 1 -j -e iio1/CLOCKTICKS,die=0/
	[ "$status" -eq 0 ]
	[[ $output == *" and "*" more\"}"* ]]
	tool stat --per-device --root "$R" --timeout 1 -j
	[ "$status" -eq 0 ]
	[[ $output == *'"ports":"0"'*" and "*" more\"}"* ]]
}

# ---- Sapphire Rapids: accelerators with common ports, the DMI, PCIe ports, an unverified stack ----

# On bus 6a a DSA and an IAX, on the next bus a QAT, on bus 0 what the chip set has
accelerators()
{
	device 0000:6a/0000:6a:01.0 0x088000 0x8086 0x0b25
	device 0000:6a/0000:6a:02.0 0x088000 0x8086 0x0cfe
	device 0000:6a/0000:6a:00.4 0x088000 0x8086 0x0b23
	device 0000:6b/0000:6b:00.0 0x0b4000 0x8086 0x4940
	device 0000:00/0000:00:17.0 0x010601 0x8086 0x1bf2
	device 0000:15/0000:15:01.0 0x060400 0x8086 0x352a
	device 0000:15/0000:15:01.0/0000:16:00.0 0x020000 0x15b3 0x101d
	device 0000:15/0000:15:01.0/0000:16:00.1 0x020000 0x15b3 0x101d
	device 0000:15/0000:15:08.0 0x060400 0x8086 0x352d
	device 0000:15/0000:15:08.0/0000:18:00.0 0x010802 0x144d 0xa824
	device 0000:26/0000:26:01.0 0x060400 0x8086 0x352a
	device 0000:26/0000:26:01.0/0000:27:00.0 0x020000 0x15b3 0x101d
}

@test "list --topology shows accelerators, unverified stacks and the speed of links" {
	accelerators
	export UCORE_FAKE="machine=spr dies=1"
	tool list --topology --root "$R"
	[ "$status" -eq 0 ]
	[ "$(head -n 12 <<<"$output")" = "DIE  BOX       LEADS TO       GT/s  PORT  NOTE        ADDRESS       DEVICE
  0  iio0      0000:6a              0-2               0000:6a:01.0  0880: 8086:0b25
  0  iio0      0000:6a              0-2               0000:6a:02.0  0880: 8086:0cfe
  0  iio0      0000:6a              4     unverified  0000:6b:00.0  0b40: 8086:4940
  0  iio1      0000:00              7                 0000:00:17.0  0106: 8086:1bf2
  0  iio2      0000:15              0                 0000:16:00.0  0200: 15b3:101d
  0  iio2      0000:15              0                 0000:16:00.1  0200: 15b3:101d
  0  iio2      0000:15              2                 0000:15:03.0
  0  iio2      0000:15              7                 0000:18:00.0  0108: 144d:a824
  0  iio3      -
  0  iio4      0000:26              0     unverified  0000:27:00.0  0200: 15b3:101d
  0  iio5      -" ]
	tool list --topology --root "$R" -j boxes upi0
	[[ $output == *'"gt_per_s":16'* ]]
	tool list --topology --root "$R" -j boxes upi1
	[[ $output != *gt_per_s* ]]
	tool list --topology --root "$R" -j boxes upi2
	[[ $output == *'"leads_to":"not trained","gt_per_s":0'* ]]
}

@test "stat --per-device without events shows the traffic of each port with devices" {
	accelerators
	export UCORE_FAKE="machine=spr dies=1"
	tool stat --per-device --root "$R" --timeout 1 -x,
	[ "$status" -eq 0 ]
	[ "$(head -n1 <<<"$output")" = "time_ns,socket,die,box,ports,read_bytes,write_bytes,read_mb_per_s,write_mb_per_s,note,time,device" ]
	rows=$(cut -d, -f3-5,10,12 <<<"$output" | tail -n +2)
	[ "$(head -n6 <<<"$rows")" = "0,iio0,0-2,,0000:6a:01.0 0880: 8086:0b25; 0000:6a:02.0 0880: 8086:0cfe
0,iio0,4,unverified,0000:6b:00.0 0b40: 8086:4940
0,iio1,7,,0000:00:17.0 0106: 8086:1bf2
0,iio2,0,,0000:16:00.0 0200: 15b3:101d; 0000:16:00.1 0200: 15b3:101d
0,iio2,7,,0000:18:00.0 0108: 144d:a824
0,iio3,,not mapped," ]
	[[ $rows == *"0,iio4,0,unverified,0000:27:00.0 0200: 15b3:101d"* ]]
	# each row has bytes in both directions
	[ "$(tail -n +2 <<<"$output" | awk -F, '!($6 > 0 && $7 > 0)' | wc -l)" -eq 0 ]
}

@test "stat --per-device without events counts units of 4 and 32 bytes" {
	accelerators
	export UCORE_FAKE="machine=spr dies=1"
	tool stat --per-device --root "$R" --timeout 1 -j
	[ "$status" -eq 0 ]
	row=$(grep '"box":"iio2","ports":"7"' <<<"$output")
	read_bytes=$(sed 's/.*"read_bytes":\([0-9]*\).*/\1/' <<<"$row")
	write_bytes=$(sed 's/.*"write_bytes":\([0-9]*\).*/\1/' <<<"$row")
	[ $((read_bytes % 4)) -eq 0 ]
	[ $((write_bytes % 32)) -eq 0 ]
	tool stat --per-box --timeout 1 -j -e iio_free2/BANDWIDTH_IN.PART7_FREERUN,die=0/
	[[ $output == *'"count":'* ]]
}

@test "stat --per-device without events shows whole stacks where ports are unknown" {
	machine
	tool stat --per-device --root "$R" --timeout 1 -j
	[ "$status" -eq 0 ]
	[ "$(grep -c '"box":"iio1","ports"' <<<"$output")" -eq 2 ]
	row=$(grep '"box":"iio0"' <<<"$output")
	[[ $row == *'"note":"whole stack"'*'"device":"0000:00:14.0 0c03: 8086:a1af"'* ]]
	[[ $row != *'"ports"'* ]]
	# a known stack without devices has no row
	[[ $output != *'"box":"iio2"'* ]]
	tool stat --per-device --root "$R" --timeout 1
	[[ $output == *"READ BYTES"*"WRITTEN BYTES"*"DEVICE"* ]]
}

@test "stat --per-device without events fails without stacks" {
	UCORE_FAKE="machine=ivbep" tool stat --per-device --root "$R" --timeout 1
	[ "$status" -eq 1 ]
	[[ $err == *"no PCI device is behind an IIO stack"* ]]
}
