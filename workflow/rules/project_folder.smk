# Find the project's folder: it has these rules, or is a clone, if another workflow takes them from a Git repository.
import importlib.util
import os
import subprocess
import sys
from pathlib import Path


def checkout(source):
    """Return the project's folder, or a clone of it if another workflow takes this one from a Git repository.

    Snakemake fetches only the rules from there, but the programs need the other files.
    """
    if isinstance(source, os.PathLike):
        return Path(source).parent.parent
    repository = source.repo_path if hasattr(source, "repo_path") else source.hosted_repo.repo_clone
    name = ["git", "-C", repository, "rev-parse", f"{source.ref}^{{commit}}"]
    commit = subprocess.run(name, check=True, capture_output=True, text=True).stdout.strip()
    folder = Path(".snakemake", "subword-lab", commit).absolute()
    if not folder.exists():
        made = folder.with_suffix(f".{os.getpid()}")
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", repository, made], check=True)
        subprocess.run(["git", "-C", made, "checkout", "--quiet", commit], check=True)
        made.rename(folder)
    return folder


# The project's folder, wherever snakemake is started, and as a module of another workflow
HERE = checkout(workflow.current_basedir)
sys.path.insert(0, str(HERE / "src"))

if importlib.util.find_spec("subwords") is None:
    raise WorkflowError(
        f"the Python that runs snakemake, {sys.executable}, is not the project's: it has no package subwords\n"
        f"  next: run {HERE}/.venv/bin/snakemake, which `make env` installs"
    )
