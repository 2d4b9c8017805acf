"""Slurm on this machine alone: controller, node daemon and munge on loopback, without systemd, cgroups or accounting.

The node pretends to have eight cores and two cards, so that jobs queue, run side by side and ask for GPUs as on a
cluster. Memory and time limits are real. Needs root, and Debian's slurmctld, slurmd, slurm-client and munge:

    PYTHONPATH=tests python -m deployment.one_node_slurm start    # installs what is missing with apt-get, then starts
    PYTHONPATH=tests python -m deployment.one_node_slurm stop
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as a program, too

from deployment.machine import Missing, install

PACKAGES = {"slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client", "munged": "munge"}
#: Where Slurm's programs look for their settings when SLURM_CONF is not set; the executor plugin unsets it.
SYSTEM_SETTINGS = Path("/etc/slurm")
PARTITIONS = ("cpu", "gpu")
CORES, CARDS = 8, ["/dev/null", "/dev/zero"]

SETTINGS = """\
ClusterName=onenode
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdSpoolDir={folder}/slurmd
SlurmdParameters=config_overrides
StateSaveLocation={folder}/slurmctld
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=1,defer
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
OverTimeLimit=0
KillWait=5
MinJobAge=3600
InactiveLimit=0
JobRequeue=0
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/finished_jobs.log
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} Gres=gpu:{cards} State=UNKNOWN
{partitions}
"""


class OneNodeSlurm:
    """A running Slurm; everything it writes lies in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.host = folder, socket.gethostname().split(".")[0]
        self._forgotten = 0

    def start(self) -> None:
        """Start munge, the controller and the node's daemon, and wait until the node takes jobs."""
        if os.getuid() != 0:
            raise Missing("Slurm's daemons need root, which this user is not")
        install(PACKAGES)
        settings = SYSTEM_SETTINGS / "slurm.conf"
        if settings.is_symlink():  # of one that was not stopped
            OneNodeSlurm(settings.readlink().parent)._stop_daemons()
        for name in ("", "slurmctld", "slurmd"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._write_settings()
        self._start_munge()
        settings = str(self.folder / "slurm.conf")
        self._daemon("slurmctld", "-f", settings)
        self._daemon("slurmd", "-f", settings, "-N", self.host)
        self.wait_for_node("idle")

    def stop(self) -> None:
        """Cancel all jobs and stop the daemons that `start` has started, by their process ids."""
        with contextlib.suppress(subprocess.CalledProcessError, OSError):
            self.cancel()
        self._stop_daemons()
        for file in ("slurm.conf", "gres.conf", "cgroup.conf"):
            link = SYSTEM_SETTINGS / file
            if link.is_symlink() and link.readlink() == self.folder / file:
                link.unlink()

    def cancel(self) -> None:
        """Cancel all jobs and wait until the node has none."""
        if "drain" in self.run("sinfo", "--noheader", "--format=%T"):
            self.resume()
        for partition in PARTITIONS:
            self.run("scancel", f"--partition={partition}")
        self.wait_for_node("idle")

    def run(self, *command: str) -> str:
        """Run one of Slurm's programs and return what it prints."""
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def jobs(self) -> dict[int, dict[str, str]]:
        """Return every job that the controller still knows, also those that have ended: id -> {field: value}."""
        found = {}
        for line in self.run("scontrol", "--oneliner", "show", "jobs").splitlines():
            fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if "JobId" in fields:
                found[int(fields["JobId"])] = fields
        return found

    def forget(self) -> None:
        """Leave all jobs so far out of what `of_rule` returns."""
        self._forgotten = max(self.jobs(), default=0)

    def of_rule(self, rule: str) -> list[dict[str, str]]:
        """Return the jobs of a Snakemake rule, oldest first. The executor plugin writes their comment."""
        jobs = [job for number, job in sorted(self.jobs().items()) if number > self._forgotten]
        return [job for job in jobs if re.match(rf"rule_{rule}(_wildcards_|$)", job.get("Comment", ""))]

    def running(self) -> list[dict[str, str]]:
        return [job for job in self.jobs().values() if job["JobState"] in ("RUNNING", "COMPLETING")]

    def drain(self) -> None:
        """Let the node finish its jobs and take no other."""
        self.run("scontrol", "update", f"NodeName={self.host}", "State=DRAIN", "Reason=test")

    def resume(self) -> None:
        self.run("scontrol", "update", f"NodeName={self.host}", "State=RESUME")

    def wait_for_node(self, *states: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(subprocess.CalledProcessError):
                state = self.run("sinfo", "--noheader", "--format=%T").split()
                if state and state[0].strip("*") in states:
                    return
                if state and state[0].startswith("down"):
                    self.resume()
            time.sleep(0.2)
        logs = "".join((self.folder / f"{name}.log").read_text()[-2000:] for name in ("slurmctld", "slurmd"))
        raise TimeoutError(f"the node is not {' or '.join(states)} after {seconds} seconds:\n{logs}")

    def _write_settings(self) -> None:
        with open("/proc/meminfo") as stream:
            memory = next(int(line.split()[1]) // 1024 for line in stream if line.startswith("MemTotal"))
        node = f"Nodes={self.host} MaxTime=2-00:00:00 DefaultTime=10 State=UP OverSubscribe=NO"
        partitions = "\n".join(f"PartitionName={name} {node}" for name in PARTITIONS)
        written = {
            "slurm.conf": SETTINGS.format(
                host=self.host,
                folder=self.folder,
                cores=CORES,
                memory=int(0.9 * memory),
                cards=len(CARDS),
                partitions=partitions.replace(" MaxTime", " Default=YES MaxTime", 1),
            ),
            "gres.conf": "AutoDetect=off\n" + "".join(f"Name=gpu File={card}\n" for card in CARDS),
            "cgroup.conf": "CgroupAutomount=no\n",
        }
        for file, text in written.items():
            (self.folder / file).write_text(text)
            link = SYSTEM_SETTINGS / file
            if link.exists() and not link.is_symlink():
                raise Missing(f"{link} is the setting of a real Slurm, and stays as it is")
            link.parent.mkdir(exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(self.folder / file)

    def _start_munge(self) -> None:
        key, pid = self.folder / "munge.key", self.folder / "munged.pid"
        if not key.exists():
            key.write_bytes(os.urandom(1024))
            key.chmod(0o400)
        files = {"key-file": key, "socket": self.folder / "munge.socket", "pid-file": pid}
        files |= {"log-file": self.folder / "munged.log", "seed-file": self.folder / "munge.seed"}
        self._daemon("munged", "--force", *(f"--{name}={path}" for name, path in files.items()))

    def _daemon(self, name: str, *words: str) -> None:
        if self._alive(self.folder / f"{name}.pid"):
            return
        errors = (self.folder / f"{name}.err").open("ab")
        settings = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        subprocess.run([name, *words], check=True, env=settings, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)

    @staticmethod
    def _alive(pid_file: Path) -> bool:
        try:
            os.kill(int(pid_file.read_text()), 0)
        except (OSError, ValueError):
            return False
        return True

    def _stop_daemons(self) -> None:
        for name in ("slurmd", "slurmctld", "munged"):
            self._stop_daemon(self.folder / f"{name}.pid")

    def _stop_daemon(self, pid_file: Path) -> None:
        for kind in (signal.SIGTERM, signal.SIGKILL):
            if not self._alive(pid_file):
                break
            os.kill(int(pid_file.read_text()), kind)
            deadline = time.monotonic() + 15
            while self._alive(pid_file) and time.monotonic() < deadline:
                time.sleep(0.1)
        pid_file.unlink(missing_ok=True)


def main(words: list[str]) -> int:
    if words not in (["start"], ["stop"]):
        print(__doc__, file=sys.stderr)
        return 2
    cluster = OneNodeSlurm(Path(tempfile.gettempdir()) / "one-node-slurm")
    cluster.start() if words == ["start"] else cluster.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
