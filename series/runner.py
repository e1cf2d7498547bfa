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

"""Run the functional tests of one target on one arm."""

import os
import subprocess
import threading
import time

from series import console
from series import errors
from series import process
from series import results
from series import stream

#: Seconds without any finished test after which a run is given up.
DEADLINE = 300

# What makes the services of a project run their threads in a mode.
_MODES = {
    ('nova', 'native'): {'OS_NOVA_DISABLE_EVENTLET_PATCHING': 'True'},
}

# Lines of a test's other details (its log) that are shown if it fails.
_LOG_LINES = 40


class Runner:
    """Runs tests by stestr in a target's environment.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    :param environment: its :class:`series.environment.Environment`
    :param tree: folder of its tree, on the patched arm
    :param concurrency: number of worker processes
    :param test: regular expression that selects tests, or None
    :param label: what the lines it prints begin with
    """

    def __init__(self, workspace, target, environment, tree=None,
                 concurrency=1, test=None, label=''):
        self._workspace = workspace
        self._target = target
        self._environment = environment
        self._tree = tree
        self._concurrency = concurrency
        self._test = test
        self._label = label

    def run(self, cell):
        """Run the tests once and add what came of them to a cell.

        :param cell: a :class:`series.results.Cell`
        :raises SeriesError: if stestr cannot be started
        """
        log = self._workspace.cache / 'results' / 'logs' / ('%s-%s-%s.log' % (
            self._target.slug, cell.mode, cell.arm))
        log.parent.mkdir(parents=True, exist_ok=True)
        progress = _Progress('%s [%s]' % (self._label, cell.arm),
                             self._target.released, cell.arm)
        with open(log, 'wb') as stderr, process.child(
                self._command(cell), cwd=self._workspace.root,
                env=process.environment(**self._variables(cell)),
                stdout=subprocess.PIPE, stderr=stderr) as child:
            with progress.watch(child):
                progress.reader.read(child.stdout)
        found = progress.reader.close()
        cell.runs.append(found)
        if progress.gave_up:
            cell.trouble.append('no test ended within %d s: it was stopped'
                                % DEADLINE)
        elif child.returncode and all(result.passed for result in found):
            cell.trouble.append('stestr ended with status %d: %s' % (
                child.returncode, errors.last_line(
                    log.read_text(errors='replace')
                    or progress.reader.noise)))
        if not found and not cell.trouble:
            cell.trouble.append('stestr ran no test: %s' % errors.last_line(
                log.read_text(errors='replace') or progress.reader.noise))

    def _command(self, cell):
        # Each cell has a repository of its own: with the times in it stestr
        # divides the tests well among the workers.
        repository = self._workspace.cache / 'stestr' / ('%s-%s-%s' % (
            self._target.slug, cell.mode, cell.arm))
        repository.mkdir(parents=True, exist_ok=True)
        tests = self._workspace.root / 'tests' / 'functional'
        command = [
            self._environment.python, '-m', 'stestr',
            '--test-path', tests / self._target.project,
            '--top-dir', self._workspace.root, '--repo-url', repository,
            'run', '--subunit', '--concurrency', self._concurrency]
        return command + ([self._test] if self._test else [])

    def _variables(self, cell):
        return variables(self._workspace, self._target, self._environment,
                         self._tree, cell.arm, cell.mode)


def variables(workspace, target, environment, tree, arm, mode):
    """What a program that runs a target's services gets.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    :param environment: its :class:`series.environment.Environment`
    :param tree: folder of its tree, on the patched arm
    :param arm: name of the arm
    :param mode: how the services run their threads
    :returns: mapping of variables to set
    """
    first = [workspace.root]
    result = {
        'PYTHON': str(environment.python),
        'PYTHONWARNINGS': 'ignore',
        'OS_STDOUT_CAPTURE': '1',
        'OS_STDERR_CAPTURE': '1',
        'OS_TEST_TIMEOUT': '180',
        'SERIES_TARGET': target.name,
        'SERIES_ARM': arm,
    }
    if arm == 'patched':
        first.append(tree)
        result['SERIES_TREE'] = str(tree)
    result.update(environment.variables(*first))
    result.update(_MODES.get((target.project, mode), {}))
    return result


class _Progress:
    """Prints a line a test, and signs of life between them."""

    def __init__(self, label, released, arm):
        self.reader = stream.Reader(self._finished)
        self.gave_up = False
        self._label = label
        self._released = released
        self._arm = arm
        self._start = time.monotonic()
        self._last = self._start

    def watch(self, child):
        """Watch a child while the stream that it writes is read.

        :param child: the ``subprocess.Popen``
        :returns: a context manager
        """
        return _Watch(self, child)

    def _finished(self, result):
        self._last = time.monotonic()
        console.say('%s %d/%s %s (%.1f s)' % (
            self._label, len(self.reader.results),
            len(self.reader.expected) or '?', self._comment(result),
            result.seconds))
        if not result.passed:
            console.say(explain(result))

    def _comment(self, result):
        if not result.race:
            return '%s: %s' % (result.test, result.status)
        race, variant = result.race['race'], result.race['variant']
        text = '%s: %s' % (results.describe(race, variant), result.observed)
        outcome = results.expected(self._released, self._arm, race, variant)
        if not result.passed:
            text += ', ' + result.status
        if outcome is None:
            return text + ', NOT DECLARED'
        if outcome != result.observed:
            return text + ', DECLARED %s' % outcome
        return text + (', as declared' if self._arm == 'released' else '')

    def tick(self):
        """Say what is going on.

        :returns: whether this has to end
        """
        now = time.monotonic()
        if now - self._last < console.INTERVAL:
            return False
        running = [test.rsplit('.', 1)[-1] for test in self.reader.running]
        console.say('%s ... %d s: %s' % (
            self._label, now - self._start,
            ', '.join(running[:2]) or 'starting'))
        return now - self._last > DEADLINE


class _Watch:
    def __init__(self, progress, child):
        self._progress = progress
        self._child = child
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *exc_info):
        self._done.set()
        self._thread.join()

    def _run(self):
        while not self._done.wait(console.INTERVAL):
            if self._progress.tick():
                self._progress.gave_up = True
                process.stop(self._child)
                return


def explain(result):
    """Why a test did not pass, as far as it says.

    :param result: a :class:`series.stream.Result`
    :returns: text of several lines
    """
    lines = [result.test]
    for name, text in result.details.items():
        shown = text.rstrip().splitlines()
        if not name.startswith(('traceback', 'reason')):
            shown = shown[-_LOG_LINES:]
        lines += ['  %s:' % name] + ['    ' + line for line in shown]
    return '\n'.join(lines)


def cores():
    """Number of processors that this process may use."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
