"""Audit of printed tables, whoever printed them; `printed` reads files and runs every check.

The room stands alone: no other room of `analysis` imports it (`analysis.papers.audits`, which sends
the papers' tables through it, apart). It takes from the library `errors.DataError`,
`errors.unknown`, `statistics.average_rules` (`bound`, `common_weights`,
`definitions`, `Definition`, `Lines`, `EPS`, `KINDS`), `statistics.printed_counts.integer_counts`,
`statistics.intervals.mover`, `statistics.intervals.wilson`, `statistics.pairing.over_pairings`,
`statistics.power.Plan` and `written`.
"""
