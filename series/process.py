#    Licensed under the Apache License, Version 2.0 (the "License"); you may
#    not use this file except in compliance with the License. You may obtain
#    a copy of the License at
#
#         http://www.apache.org/licenses/LICENSE-2.0
#
#    Unless required by applicable law or agreed to in writing, software
#    distributed under the License is distributed on an "AS IS" BASIS, WITHOUT
#    WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the
#    License for the specific language governing permissions and limitations
#    under the License.

"""Start other programs, and end only what was started here."""

import contextlib
import os
import signal
import subprocess

from series import errors
from series import interrupts

# Names of variables that say which Python environment or which repository
# the *calling* process works in. A child works in another one.
_DROPPED = ('VIRTUAL_ENV', 'CONDA_PREFIX', 'UV_PYTHON', 'PYTHONHOME',
            'PYTHONPATH', 'GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE',
            'GIT_PREFIX')

# Seconds that a child has between the request to end and its end.
_GRACE = 10


def environment(**changes):
    """The environment of a child.

    :param changes: variables to set
    :returns: a copy of ``os.environ`` without what describes this process'
        own Python environment, with the changes
    """
    variables = {key: value for key, value in os.environ.items()
                 if key not in _DROPPED}
    variables.update(changes)
    return variables


@contextlib.contextmanager
def child(command, cwd=None, env=None, stdout=None, stderr=None):
    """A program that runs in a process group of its own.

    It and all that it started end if the block is left by an exception, an
    interrupt included; else the block's end waits for its end.

    :param command: list of the program and its arguments
    :param cwd: folder to run in
    :param env: environment; that of :func:`environment` if None
    :param stdout: as for ``subprocess.Popen``
    :param stderr: as for ``subprocess.Popen``
    :returns: context manager that gives the ``subprocess.Popen``
    :raises SeriesError: if the program cannot be started
    """
    started = None
    try:
        with interrupts.held():
            started = _start(command, cwd, env, stdout, stderr)
        yield started
        started.wait()
    except BaseException:
        if started is not None:
            stop(started)
        raise
    finally:
        if started is not None:
            for stream in (started.stdout, started.stderr):
                if stream is not None:
                    stream.close()


def _start(command, cwd, env, stdout, stderr):
    try:
        return subprocess.Popen(
            [str(word) for word in command], cwd=cwd,
            env=environment() if env is None else env,
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            start_new_session=True)
    except OSError as error:
        raise errors.SeriesError('cannot run %s: %s' % (
            command[0], error.strerror))


def stop(started):
    """End a child and what it started itself.

    :param started: the ``subprocess.Popen`` of :func:`child`
    """
    with interrupts.held():
        # The group outlives its leader if a grandchild does, so it is asked
        # even when the child itself has ended.
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(started.pid, number)
            except ProcessLookupError:
                break
            try:
                started.wait(_GRACE)
            except subprocess.TimeoutExpired:
                continue
        started.wait()


def run(command, cwd=None, env=None):
    """Run a program to its end, whatever comes of it.

    :param command: list of the program and its arguments
    :param cwd: folder to run in
    :param env: environment; that of :func:`environment` if None
    :returns: a ``subprocess.CompletedProcess`` with text output
    :raises SeriesError: if the program cannot be started
    """
    with child(command, cwd, env, subprocess.PIPE,
               subprocess.PIPE) as started:
        stdout, stderr = started.communicate()
    return subprocess.CompletedProcess(
        command, started.returncode, stdout.decode(errors='replace'),
        stderr.decode(errors='replace'))
