# SPDX-License-Identifier: GPL-2.0-only
"""`make fuzz-calls`: the long run, and the table of what came out of it."""
