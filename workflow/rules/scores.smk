# All scores of an experiment in one table, scores.csv, from which everything that follows is made.
from experiment.jsonfiles import write_json


# the list of runs and their files
rule manifest:
    output:
        f"{EXPERIMENT}/manifest.json",
    log:
        f"results/logs/manifest/{experiment.name}.log",
    localrule: True
    params:
        digest=graph.digest(),
    message:
        "list the runs of {output}"
    run:  # too long for a command line when there are hundreds of runs
        write_json(output[0], graph.manifest())


# one tidy row for each run, test set and metric
rule collect_scores:
    input:
        manifest=rules.manifest.output,
        files=graph.run_files(),
    output:
        f"{EXPERIMENT}/scores.csv",
    log:
        f"results/logs/collect/{experiment.name}.log",
    conda:
        "../../envs/evaluation.yaml"
    message:
        "collect the scores"
    shell:
        "python scripts/collect_scores.py --manifest {input.manifest} --output {output} >{log} 2>&1"
