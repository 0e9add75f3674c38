"""Khayyam Challenge (PersianMMLU): its arithmetic, its audit, its tables and figures' frames, own outputs."""

from analysis.khayyam import arithmetic, audit, facts, runs, views

__all__ = ["arithmetic", "audit", "facts", "runs", "views"]
