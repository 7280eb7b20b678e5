# SPDX-License-Identifier: GPL-2.0-only
"""Find lines in a guest's kernel log that report an error."""

import re

BAD = re.compile("|".join((
    # the kernel's own message about the nodes of numa=fake is ignored
    r"\bWARNING:(?! workqueue cpumask: online intersect > possible intersect)",
    # races between two functions of the kernel are ignored
    r"\bBUG\b(?!: KCSAN: data-race in (?!.*\[ucore))",
    r"\bOops\b",
    r"Kernel panic",
    r"general protection fault",
    r"unchecked MSR access",
    r"KASAN:",
    r"UBSAN:",
    r"KFENCE:",
    r"ODEBUG:",
    r"kmemleak: \d+ new suspected",
    r"possible (?:recursive|circular|irq) lock",
    r"possible (?:deadlock|irq lock inversion|unsafe)",
    r"INFO: (?:inconsistent|suspicious|trying to register|HARDIRQ|SOFTIRQ|possible|lockdep)",
    r"inconsistent lock state",
    r"suspicious RCU usage",
    r"held lock freed",
    r"lock held when returning to user space",
    r"scheduling while atomic",
    r"sleeping function called from invalid context",
    r"[Uu]nknown NMI|NMI received for unknown reason|Dazed and confused",
    r"soft lockup|hard LOCKUP|Hard LOCKUP",
    r"rcu.*(?:self-detected stall|detected stalls|detected expedited stalls)",
    r"blocked for more than",
    r"workqueue lockup",
    r"refcount_t:",
    r"list_(?:add|del) corruption",
    r"Timeout: Not all CPUs entered broadcast",
)))


def hits(text, allowed=()):
    """Return the lines that report an error, except lines that a test allows."""
    return [line for line in text.splitlines()
            if BAD.search(line) and not any(re.search(pattern, line) for pattern in allowed)]
