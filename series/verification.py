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

"""Check each commit of a series in the target's own test suite."""

import pathlib
import posixpath
import re
import shutil
import subprocess

from series import console
from series import environment
from series import errors
from series import git
from series import process
from series import runner
from series import stream
from series import tree

# Where the unit tests of a module are, if not at <project>/tests/unit, its
# path and test_<module>.py: names of files or folders below tests/unit.
_ELSEWHERE = {
    'cinder/db/api.py': ['test_db_api.py'],
    'cinder/db/sqlalchemy/api.py': [
        'test_db_api.py', 'attachments', 'db'],
    'cinder/volume/api.py': ['attachments', 'volume/test_volume.py'],
    'cinder/volume/manager.py': [
        'attachments', 'volume/test_volume.py', 'volume/test_connection.py'],
    'cinder/volume/rpcapi.py': ['volume/test_rpcapi.py'],
    'cinder/api/v3/attachments.py': ['api/v3/test_attachments.py'],
}


class Verification:
    """Checks the series of one target.

    All is done in a clone of the tree in the cache; the tree itself is only
    brought up to date.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    :param concurrency: number of worker processes
    """

    def __init__(self, workspace, target, concurrency):
        self._workspace = workspace
        self._target = target
        self._concurrency = concurrency
        self._environment = environment.Environment(workspace, target)
        self._tree = tree.Tree(workspace, target)
        self._scratch = workspace.cache / 'verify' / target.slug
        self._results = {}

    def run(self):
        """Check the base, all commits, and the top against the base.

        What fails on the base is not asked of a commit.

        :returns: iterator of problems, one line each
        :raises SeriesError: if environment, tree or clone cannot be made
        """
        with self._workspace.locked(self._target):
            self._environment.make()
            self._tree.apply()
            self._clone()
            name, commits = self._target.name, self._tree.commits
            names = self._touched('base', commits[-1])
            base = self._unit_tests('%s: base' % name, 'base', names)
            known = failures(base)
            for number, commit in enumerate(commits, 1):
                subject = git.check(self._scratch, 'show', '--no-patch',
                                    '--format=%s', commit)
                yield from self._check_commit(
                    '%s: commit %d/%d (%s)' % (
                        name, number, len(commits), subject), commit, known)
            top = self._unit_tests('%s: top' % name, commits[-1], names)
            console.say('%s: unit tests: %d passed and %d failed on the base, '
                        '%d and %d on the top' % (
                            name, len(base) - len(known), len(known),
                            len(top) - len(failures(top)),
                            len(failures(top))))
            yield from _new_failures('%s: top' % name, top, known)

    def _clone(self):
        if self._scratch.exists():
            shutil.rmtree(self._scratch)
        self._scratch.parent.mkdir(parents=True, exist_ok=True)
        git.check(self._scratch.parent, 'clone', '--quiet', '--shared',
                  str(self._tree.path), str(self._scratch))

    def _touched(self, *revisions):
        return git.check(
            self._scratch, 'diff', '--name-only', '--diff-filter=d',
            *revisions, '--', self._target.project + '/*.py').splitlines()

    def _check_commit(self, label, commit, known):
        self._checkout(commit)
        names = self._touched(commit + '^', commit)
        modules = [module_name(name) for name in names]
        if modules:
            with console.busy('%s: importing %d modules' % (
                    label, len(modules))):
                done = process.run(
                    [self._environment.python, '-c', _IMPORT,
                     # The tests' package decides about eventlet: first.
                     self._target.project + '.tests', *modules],
                    cwd=self._scratch, env=self._variables())
            if done.returncode:
                yield '%s: %s' % (label, errors.last_line(done.stderr))
                return
        yield from _new_failures(label, self._test(
            label, commit, [name for name in names if is_test(name)]), known)

    def _unit_tests(self, label, commit, names):
        """Run the unit tests of modules at a commit."""
        self._checkout(commit)
        return self._test(label, commit, unit_tests(
            self._scratch, self._target.project, names))

    def _checkout(self, commit):
        git.check(self._scratch, 'checkout', '--quiet', '--force', commit)

    def _test(self, label, commit, names):
        """Run test modules; discovery is of their folders only.

        Modules that ran at this commit do not run again.
        """
        folders = {}
        for name in names:
            if (commit, name) not in self._results:
                folders.setdefault(posixpath.dirname(name), []).append(name)
        for folder, group in folders.items():
            modules = [module_name(name) for name in group]
            found = self._stestr('%s: %s' % (label, ', '.join(
                posixpath.basename(name) for name in group)), folder, modules)
            for name, module in zip(group, modules):
                self._results[commit, name] = [
                    result for result in found
                    if result.test.startswith(module + '.')]
            # What belongs to none of them, such as a worker's failure.
            self._results[commit, group[0]] += [
                result for result in found
                if not result.test.startswith(tuple(
                    module + '.' for module in modules))]
        return [result for name in names
                for result in self._results[commit, name]]

    def _stestr(self, what, folder, modules):
        repository = self._workspace.cache / 'stestr' / (
            'verify-' + self._target.slug)
        repository.mkdir(parents=True, exist_ok=True)
        log = self._workspace.cache / 'verify' / (
            self._target.slug + '.log')
        reader = stream.Reader()
        command = [
            self._environment.python, '-m', 'stestr',
            '--test-path', './' + folder, '--top-dir', '.',
            '--repo-url', repository, 'run', '--subunit',
            '--concurrency', self._concurrency,
            r'^(%s)\.' % '|'.join(map(re.escape, modules))]
        with console.busy(what, lambda: ': %d of %d tests' % (
                len(reader.results), len(reader.expected))), \
                open(log, 'wb') as stderr, process.child(
                    command, self._scratch, self._variables(),
                    subprocess.PIPE, stderr) as child:
            reader.read(child.stdout)
        found = reader.close()
        if not found:
            found = [stream.Result(
                '.'.join([folder.replace('/', '.'), 'discovery']), 'fail',
                details={'reason': log.read_text(errors='replace')[-2000:]})]
        return found

    def _variables(self):
        return process.environment(
            PYTHON=str(self._environment.python), PYTHONWARNINGS='ignore',
            OS_STDOUT_CAPTURE='1', OS_STDERR_CAPTURE='1',
            OS_TEST_TIMEOUT='300',
            **self._environment.variables(self._scratch))


_IMPORT = ('import importlib, sys\n'
           'for name in sys.argv[1:]:\n'
           '    importlib.import_module(name)\n')


def failures(found):
    """The tests that failed.

    :param found: list of :class:`series.stream.Result`
    :returns: ``{id of the test: its result}``
    """
    return {result.test: result for result in found
            if result.status not in ('success', 'skip', 'xfail')}


def _new_failures(label, found, known):
    for test, result in failures(found).items():
        if test not in known:
            console.say(runner.explain(result))
            yield '%s: %s: %s' % (label, test, result.status)


def module_name(path):
    """The name of a module.

    :param path: its file, relative to the top of the tree
    :returns: e.g. ``nova.virt.block_device``
    """
    name = re.sub(r'\.py$', '', path).replace('/', '.')
    return re.sub(r'\.__init__$', '', name)


def is_test(path):
    """Whether a file is a module of tests.

    :param path: the file, relative to the top of the tree
    :returns: True for e.g. ``nova/tests/unit/virt/test_block_device.py``
    """
    return bool(re.search(r'/tests/(.*/)?test_[^/]*\.py$', path))


def unit_tests(folder, project, names):
    """Find the unit tests of modules.

    :param folder: the tree, a ``pathlib.Path``
    :param project: ``nova`` or ``cinder``
    :param names: files relative to the top of the tree; unit tests among
        them are taken as they are
    :returns: sorted list of files of tests that exist
    """
    unit = pathlib.PurePosixPath(project, 'tests', 'unit')
    found = set()
    for name in map(pathlib.PurePosixPath, names):
        if is_test(str(name)):
            candidates = [name] if unit in name.parents else []
        else:
            candidates = [unit / name.relative_to(project).parent / (
                'test_%s' % name.name)]
            candidates += [unit / other for other in _ELSEWHERE.get(
                str(name), ())]
        for candidate in candidates:
            path = folder / candidate
            found.update(
                str(each.relative_to(folder)) for each in (
                    path.rglob('test_*.py') if path.is_dir() else [path])
                if each.exists())
    return sorted(found)
