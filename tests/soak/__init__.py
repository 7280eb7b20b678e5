# SPDX-License-Identifier: GPL-2.0-only
"""`make fuzz-calls` and `make soak`: the long runs, and the table of what came out of them."""
