# The experiment, or a paper's, checked as a whole, and the graph of its files: plain Python in src/.
import re
import shlex

from experiment.training import gpu
from experiment.scoring.comet_model import check_comet_model
from experiment.config import Experiment
from experiment.graph import Graph, as_json
from experiment.layout import experiment_folder
from experiment.requested import typed
from experiment.yamlfiles import read_mapping
from papers.paper import check_call, from_settings
from snakemake.utils import update_config
from subwords.errors import InputError


def checked(settings):
    """Return the paper, if it is one, and the experiment, or stop with a message that says what to mend."""
    try:
        for file in workflow.configfiles:
            read_mapping(file, next_step="correct it")  # more strictly than Snakemake has done
        if "paper" in settings:
            check_call(workflow.config_settings.config, workflow.configfiles)
        paper = from_settings(settings, str(CONFIGFILE)) if "paper" in settings else None
        found = paper.experiment if paper else Experiment(settings, where=str(CONFIGFILE))
        if "comet" in found.settings["metrics"]:
            check_comet_model(found.settings["comet_model"])
        return paper, found
    except InputError as error:
        raise WorkflowError(f"\n{error}") from None


def rule_name(step, *words):
    """Return the name of a rule that is made for one corpus, analysis or table."""
    return re.sub(r"\W", "_", "_".join((step, *words)))


CONFIGFILE = workflow.configfiles[-1]
# What stands in a file has its types; what stands behind --config has arrived as words.
update_config(config, typed(workflow.config_settings.config))
paper, experiment = checked(config)
settings = experiment.settings
graph = Graph(experiment)
EXPERIMENT = experiment_folder(experiment)
#: Without a GPU here, jobs do not wait for one. On a cluster the profile asks for it (profiles/slurm).
HAS_GPU = bool(gpu.visible_gpus())

# Programs find the project's code here, with or without conda; bash stops at the first error. The mirror comes as a
# variable and not as a parameter: where a file came from changes nothing in it, and repeats nothing. Nor does the
# number of jobs that share a card.
CODE = f"{workflow.basedir}/src:{workflow.basedir}"
MIRROR = f"export CORPUS_MIRROR={shlex.quote(settings['mirror'])}; " if settings["mirror"] else ""
SHARING = f"export RUNS_PER_GPU={settings['runs_per_gpu']}; "
shell.prefix(f"set -euo pipefail; export PYTHONPATH={shlex.quote(CODE)}; {MIRROR}{SHARING}")


wildcard_constraints:
    corpus="[^/]+",
    l1="[A-Za-z0-9_]+",  # the languages of a pair, in the catalogue's order
    l2="[A-Za-z0-9_]+",
    source="[A-Za-z0-9_]+",  # the languages of a direction
    target="[A-Za-z0-9_]+",
    lang="[A-Za-z0-9_]+",
    split="[^/]+",
    testset="[^/.]+",
    segmentation="[^/]+",
    model="[^/]+",
    seed="[0-9]+",
