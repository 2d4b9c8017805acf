# The experiment, or a paper's, checked as a whole; the plan of what it needs; and how programs are called.
import hashlib
import os
import shlex

from experiment.config import RUNTIME, Experiment, from_command_line
from experiment.plan.plan import as_json
from experiment.provenance import check_versions
from experiment.scoring.comet_model import check_comet_model
from experiment.store.results import synchronize
from experiment.training import gpu
from experiment.yamlfiles import read_mapping
from replication.paper import check_call, from_settings
from replication.sources import Sources
from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod, RerunTrigger
from snakemake.utils import update_config
from subwords.errors import InputError


def checked(settings):
    """Return the paper, if it is one, and the experiment, or stop with a message that says what to correct."""
    try:
        if workflow.is_main_process and not CONDA:
            check_versions(HERE / "envs" / "pipeline.yaml")
        for file in [] if IS_MODULE else workflow.configfiles:
            read_mapping(file, next_step="correct it")  # more strictly than Snakemake has done
        if "paper" in settings:
            check_call(workflow.config_settings.config, workflow.configfiles)
        paper = from_settings(settings, CONFIGFILE) if "paper" in settings else None
        found = paper.experiment if paper else Experiment(settings, where=CONFIGFILE)
        if not paper or paper.uses_scores:
            found.check_baseline()
        if workflow.is_main_process:  # not jobs of a cluster: they may have no network, and change no marks
            if "comet" in found.settings["metrics"]:
                if check_comet_model(found.settings["comet_model"]) == "hub":  # a colleague's cache may have it
                    synchronize(Path("results/downloads/comet", found.comet_key), finished=False)
            found.plan.synchronize()
            for name in paper.needed_measures if paper else []:
                Sources(paper, name).check_choices()
        return paper, found
    except InputError as error:
        raise WorkflowError(f"\n{error}") from None


def code_of(*patterns):
    """Return a digest of files of the project. Cheap results have it among their params: new code makes them again."""
    files = sorted(file for pattern in patterns for file in HERE.glob(pattern))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
IS_MODULE = Path(workflow.main_snakefile) != HERE / "workflow" / "Snakefile"
CONFIGFILE = str(workflow.configfiles[-1]) if workflow.configfiles and not IS_MODULE else "the configuration"
# Values from files keep their types. Values after --config are text, and Snakemake has merged them as text.
if not IS_MODULE:
    for name in RUNTIME.keys() & workflow.config_settings.config.keys():
        del config[name]
    update_config(config, from_command_line(workflow.config_settings.config))
paper, experiment = checked(config)
settings, plan = experiment.settings, experiment.plan
runtime = settings["runtime"]
#: Without a GPU here, jobs do not wait for one. On a cluster the profile asks for it (profiles/slurm).
HAS_GPU = runtime["device"] != "cpu" and bool(gpu.visible_gpus())
at_once = workflow.global_resources.get("gpu")
if HAS_GPU and workflow.is_main_process and at_once and at_once.value < (sharing := runtime["runs_per_gpu"]):
    logger.warning(
        f"runs_per_gpu: {sharing}, but snakemake runs no more than {at_once.value} of these jobs at a time."
        f" next: snakemake --resources gpu={sharing} … for one card, gpu={2 * sharing} for two"
    )

# Programs run with the Python that runs snakemake, or with that of the rule's conda environment, and find the project's
# code wherever the working directory is.
PYTHON = "python" if CONDA else shlex.quote(sys.executable)
CODE = f"{HERE / 'src'}:{HERE}"
if CONDA:  # the library's core is built where its source is, by envs/pipeline.post-deploy.sh
    os.environ.update(SUBWORDS_SOURCE=str(HERE / "packages" / "subwords"))
    CODE += f":{HERE / 'packages' / 'subwords' / 'src'}"
SCRIPTS = shlex.quote(str(HERE / "scripts"))
PROGRAMS = f"PYTHONPATH={shlex.quote(CODE)} {PYTHON} {SCRIPTS}/".replace("{", "{{").replace("}", "}}")


def registered(mark):
    """Return the experiment's list of what it uses, an input of every step that is still to do; nothing for a finished one."""
    return [] if Path(mark).exists() else plan.use_file


def run_of(wildcards):
    return plan.evaluation(wildcards.key, wildcards.seed)


def inputs_of_run(wildcards):
    """Return what every rule for a run needs; files that exist are not compared by their times."""
    run = run_of(wildcards)
    marks = {"pieces": run.system.segmented.done, "texts": run.text_marks}
    return {name: ancient(mark) for name, mark in marks.items()} | {"used": registered(run.done)}


def program(command):
    """Return the shell command that calls a program of scripts/, with the threads of its rule.

    A function because Snakemake does not find a module's own names in a command.
    """
    return f"OMP_NUM_THREADS={{threads}} {PROGRAMS}{command}"


# A result is identified by the key in its path. A changed program or environment changes no key and repeats nothing;
# what is made from all of them (tables, report) has a digest of its code among its params. Jobs and places are params of
# functions that take `output`: Snakemake does not compare those, so that they repeat nothing either.
# The shipped profiles set rerun-triggers, too, but a user's own may not. A workflow that uses this one as a module decides
# for itself: where it reruns a step, the program finds its work done.
if not IS_MODULE:
    type(workflow).rerun_triggers = property(lambda self: frozenset({RerunTrigger.MTIME, RerunTrigger.PARAMS}))


wildcard_constraints:
    corpus="[^/]+",
    key="[0-9a-f]{10}",
    corpus_key="[0-9a-f]{10}",
    pair="[A-Za-z0-9_]+-[A-Za-z0-9_]+",  # two languages, in the catalogue's order
    direction="[A-Za-z0-9_]+-[A-Za-z0-9_]+",  # source and target
    segmentation="[^/]+",
    model="[^/]+",
    seed="[0-9]+",
    testset="[^/.]+[.][0-9a-f]{10}",
    choice="[a-z]+-[0-9]+",
    search="[^/]+",
    request="[0-9a-f]{10}",
