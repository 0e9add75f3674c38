"""What notebooks and the site need: loaded once, by the server that kernels are forked from (see `reports.warm`)."""

import importlib
import io
import pkgutil

import matplotlib.pyplot as plt

import analysis
from analysis import artifacts, claims, published
from analysis.plots import style

MODULES = (
    "ipykernel.kernelapp",
    "matplotlib_inline.backend_inline",
    "reports.site",
    "runners.ranking",
    "seaborn",
    "statsmodels.api",
)


def first_time() -> None:
    """Do once what is slow only the first time in a process: schemas, the papers' numbers, fonts, the writers of figures."""
    for paper in claims.papers():
        published.results(paper)
    with plt.rc_context():
        style.use()
        figure, ax = plt.subplots(layout="constrained")
        ax.set_title("0")
        for kind in artifacts.METADATA:
            figure.savefig(io.BytesIO(), format=kind, bbox_inches="tight")
        plt.close(figure)


for name in [*MODULES, *(module.name for module in pkgutil.walk_packages(analysis.__path__, "analysis."))]:
    importlib.import_module(name)
first_time()
