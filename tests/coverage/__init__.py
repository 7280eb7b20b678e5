# SPDX-License-Identifier: GPL-2.0-only
"""`make coverage`: which lines of the driver no test runs, and why."""
