# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine model, seen from Python: its command line and its rates."""
