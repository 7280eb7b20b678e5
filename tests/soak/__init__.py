# SPDX-License-Identifier: GPL-2.0-only
"""`make fuzz-calls` and `make soak`: long runs, and the tables with their results."""
