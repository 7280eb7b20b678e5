# SPDX-License-Identifier: GPL-2.0-only
"""Select the lab's tests that `make test` runs, and those that only `make test-all` runs.

`make test` has twelve minutes. Its tests of the lab run on one kernel, and cover each platform, each
command of the interface and each kind of sample. `tests/check/test_selection.py` checks this list.
"""

import fnmatch

KERNEL = "6.1"

# Patterns of "NAME" on each machine of a test, or of "NAME MACHINE"
TESTS = {
    "boxes and counters of every platform against the model": (
        "test_counting.every_counter_counts_exactly",
        "test_counting.every_counter_counts_at_its_documented_rate",
        "test_skx.every_counter_of_one_socket_counts_exactly",
        "test_skx.cooper_lake_has_six_links",
        "test_skx.free_running_counters_match_the_stacks",
        "test_icx.free_running_counters_match_stacks_and_controllers",
        "test_spr.every_counter_*exactly",
        "test_spr.fields_reach_their_registers",
        "test_spr.fields_of_granite_rapids_reach_their_registers",
        "test_spr.free_running_counters_match_the_stacks",
        "test_dmr.every_counter_of_both_tables_counts_exactly",
        "test_core.every_counter_of_every_core_counts_exactly",
        "test_client.boxes_match_the_model",
        "test_client.traffic_counters_match_the_model adl-1s",
        "test_mtl.global_controls_are_restored_as_found mtl-1s",
        "test_nhm.blocks_of_both_packages_count_exactly",
        "test_named.additional_events_of_westmere_count",
        "test_ptl.global_controls_are_restored_as_found",
    ),
    "counts and costs": (
        "test_counting.filters_and_special_fields_reach_their_registers",
        "test_counting.counts_are_exact_over_48_bit_wraps",
        "test_counting.low_dword_counts_are_exact_over_32_bit_wraps",
        "test_counting.read_takes_the_minimum_of_accesses*",
        "test_counting.session_times_match_the_model",
        "test_spr.read_of_the_full_machine_takes_the_minimum_of_accesses",
        "test_rotate.rotated_counts_and_times_match_the_model",
        "test_share.*",
        "test_parallel_read.parallel_read_matches_a_single_reader e2-1s",
        "test_growth.* clock-spr",
    ),
    "samples": (
        "test_sampling.every_counter_that_can_overflow_ends_intervals_exactly",
        "test_sampling.polled_periods_are_sampled_with_exact_counts",
        "test_sampling.record_and_report_match_the_model",
        "test_sampling.timer_samples_of_both_dies_are_exact_and_simultaneous",
        "test_sampling.overflow_storm_is_throttled_and_losses_are_counted",
        "test_icx.every_counter_that_can_overflow_ends_intervals_exactly",
        "test_snbep.timer_sample_counts_match_each_box_freeze",
        "test_core.every_counter_ends_intervals_and_samples_are_exact",
        "test_tasks.core_event_overflows_trigger_one_sample_each",
        "test_pmi.*",
        "test_no_pmi.*",
        "test_client.periods_are_polled_with_exact_counts",
        "test_client_overflow.overflows_of_each_box_are_sampled_exactly",
        "test_client_overflow.status_that_nothing_clears_is_polled skl-1s",
        "test_nhm.overflows_of_any_counter_*",
        "test_overflow_freeze.overflows_of_each_box_type_* spr-2s",
        "test_overflow_freeze.trial_waits_for_an_idle_die",
        "test_overflow_freeze.overflow_that_freezes_its_box_only_is_polled",
    ),
    "every command of the interface, hostile input, other users": (
        "test_uapi.uapi_*[!2]",         # without the programs of 32 bits
        "test_discovery.uapi_discovery",
        "test_discovery.bad_record_is_rejected_and_others_stay",
    ),
    "faults, the end of a process, hotplug, suspend, unloading": (
        "test_faults.*dead*",
        "test_faults.*pmi*",
        "test_faults.simultaneous_*",
        "test_lifecycle.kill_restores_the_hardware",
        "test_lifecycle.rmmod_at_random_moments_leaves_nothing",
        "test_lifecycle.overflow_sampling_survives_pmi_core_offline",
        "test_lifecycle.overflow_sampling_survives_die_offline",
        "test_suspend.overflow_session_survives_suspend_to_ram",
    ),
    "the model against Linux's own driver": (
        "test_witness.intree_boxes_and_rates_match_on_v2",
        "test_witness_e5.intree_boxes_and_rates_match_on_v3",
        "test_witness_skx.intree_boxes_and_rates_match_on_skylake",
        "test_witness_discovery.intree_boxes_and_rates_match_on_spr",
    ),
    "the tool": (
        "test_stacks.sapphire_rapids_xcc_*",
        "test_stacks.granite_rapids_*",
        "test_metrics.metrics_match_their_formulas e2-2s",
        "test_metrics.metrics_match_their_formulas spr-2s",
        "test_selftest.verify_passes_on_a_correct_machine e2-*",
        "test_top.top_numbers_match_the_rates",
        "test_documents.readme_commands*",
    ),
}

# `make quick` on the machine e2-2s
QUICK = (
    "test_counting.every_counter_counts_exactly",
    "test_sampling.overflow_sample_holds_all_counters_of_its_die",
    "test_sampling.timer_samples_of_both_dies_are_exact_and_simultaneous",
    "test_lifecycle.kill_restores_the_hardware",
    "test_uapi.uapi_session",
)
QUICK_SCENARIO = "e2-2s"


def is_short(test):
    """Return true for a test that `make test` runs."""
    return on_kernel(test) and matches(test, [pattern for patterns in TESTS.values()
                                              for pattern in patterns])


def is_quick(test):
    """Return true for a test that `make quick` runs."""
    return on_kernel(test) and test.boot.scenario == QUICK_SCENARIO and matches(test, QUICK)


def on_kernel(test):
    return bool(test.boot) and test.boot.kernel == KERNEL


def matches(test, patterns):
    return any(fnmatch.fnmatchcase(f"{test.name} {test.boot.scenario}" if " " in pattern else
                                   test.name, pattern) for pattern in patterns)


SELECTIONS = {"short": is_short, "quick": is_quick, "rest": lambda test: not is_short(test)}
