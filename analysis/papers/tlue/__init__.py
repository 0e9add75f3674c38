"""TLUE: its arithmetic, its audit, its tables and the words beside them."""

from analysis.papers.tlue.arithmetic import (
    BENCHMARKS,
    CATEGORIES,
    category_sizes,
    cells,
    evidence,
    mapping,
    overall,
    questions,
    random_baseline,
    with_average,
)
from analysis.papers.tlue.audit import (
    audit_averages,
    count_summary,
    definition_table,
    impossible,
    misfit_table,
    misfits,
    printed_twice,
    random_audit,
)
from analysis.papers.tlue.facts import (
    CURATION,
    abbreviation_table,
    caption_prompt,
    composition,
    example_prompt,
    finding_overview,
    mapping_table,
    size_table,
)
from analysis.papers.tlue.response import conditional_averages, rates_table, response_results
from analysis.papers.tlue.views import (
    AVERAGE_LABEL,
    ENDS,
    METHODS,
    REASONING_PAIRS,
    SLACK,
    SOURCE_BENCHMARK,
    TABLES,
    difference_table,
    drop_table,
    of_families,
    overview_table,
    paired_table,
    rank_change_table,
    rank_table,
    runs,
    size_steps,
    stack,
    subject_table,
)
from analysis.papers.tlue.words import *  # noqa: F403 (captions and findings)
