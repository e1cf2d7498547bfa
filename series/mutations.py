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

"""Deliberate defects, and the tests that have to see them."""

import dataclasses
import re
import shutil

import yaml

from series import errors
from series import git
from series import process

#: Where a mutation may be looked for.
KINDS = ('unit', 'functional')

_FIELDS = {'file', 'breaks', *KINDS}

# What the unit tests of the module need of the checkout.
_UNIT_FILES = ('nova_ext', 'harness', 'tests/unit/nova_ext',
               'tests/unit/__init__.py', 'tests/__init__.py')

_RULE = re.compile('={70}$', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One deliberate defect.

    :ivar name: e.g. ``lock-per-host``
    :ivar patch: the file that makes it, to be applied where
        host_connections.py is
    :ivar breaks: what it breaks, in words
    :ivar tests: ``{kind: {test id: what its failure must say}}``
    """

    name: str
    patch: object
    breaks: str
    tests: dict


def load(folder):
    """Read all mutations.

    :param folder: folder with ``mutations.yaml`` and the patches
    :returns: ``{name: Mutation}``, in the order of the file
    :raises SeriesError: if something is missing or unknown
    """
    path = folder / 'mutations.yaml'
    try:
        entries = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, yaml.YAMLError) as error:
        raise errors.SeriesError('%s cannot be read: %s' % (path, error))
    if not isinstance(entries, dict):
        raise errors.SeriesError('%s has no mutations' % path)
    return {name: _mutation(folder, name, entry)
            for name, entry in entries.items()}


def _mutation(folder, name, entry):
    where = '%s: mutation %s' % (folder / 'mutations.yaml', name)
    if not isinstance(entry, dict) or set(entry) - _FIELDS:
        raise errors.SeriesError('%s: the fields are %s' % (
            where, ', '.join(sorted(_FIELDS))))
    patch = folder / str(entry.get('file'))
    if not patch.is_file():
        raise errors.SeriesError('%s: there is no file %s' % (where, patch))
    tests = {kind: entry.get(kind) or {} for kind in KINDS}
    for named in tests.values():
        if not isinstance(named, dict) or not all(
                isinstance(word, str) and word for word in named.values()):
            raise errors.SeriesError(
                '%s: each test needs the words of its failure' % where)
    if not tests['unit']:
        raise errors.SeriesError('%s: it names no unit test' % where)
    return Mutation(name, patch, str(entry.get('breaks') or ''), tests)


def judge(test, words, output):
    """Find out whether a test failed, and for the right reason.

    :param test: id of the test
    :param words: what its failure has to say
    :param output: what ``testtools.run`` printed for this test alone
    :returns: None if it did, else what is wrong
    """
    sections = [section.strip() for section in _RULE.split(output)]
    failures = [section for section in sections
                if section.startswith('FAIL: %s\n' % test)]
    if not failures:
        if passed(output):
            return 'survived'
        return 'no failure of the test: %s' % errors.last_line(output)
    if not any(words in failure for failure in failures):
        return 'failed, but does not say "%s": %s' % (
            words, errors.last_line(failures[0]))
    return None


def passed(output):
    """Tell from the output of ``testtools.run`` that all tests passed.

    :param output: the text
    :returns: True if at least one test ran and none failed
    """
    found = re.search(r'^Ran (\d+) tests? in .*\nOK', output, re.MULTILINE)
    return bool(found and int(found.group(1)))


class Copy:
    """A copy of host_connections.py and what is needed to run tests on it.

    :param folder: the copy's folder, to be made
    :param python: interpreter that runs the tests
    :param place: folder of host_connections.py in the copy
    :param cwd: folder to run the tests in
    :param variables: environment to set
    """

    def __init__(self, folder, python, place, cwd, variables):
        self._folder = folder
        self._python = python
        self._place = place
        self._cwd = cwd
        self._variables = variables

    @classmethod
    def of_unit_tests(cls, workspace, folder, python):
        """Copy the module with its unit tests.

        :param workspace: a :class:`series.workspace.Workspace`
        :param folder: folder to make
        :param python: interpreter with the test requirements
        :returns: a :class:`Copy`
        """
        for name in _UNIT_FILES:
            _copy(workspace.root / name, folder / name)
        return cls(folder, python, 'nova_ext', folder,
                   {'PYTHONPATH': str(folder)})

    @classmethod
    def of_tree(cls, workspace, folder, python, tree, variables):
        """Copy a patched tree; the functional tests stay where they are.

        :param workspace: a :class:`series.workspace.Workspace`
        :param folder: folder to make
        :param python: interpreter of the target's environment
        :param tree: folder of the tree
        :param variables: function of the copy's folder that gives the
            environment of the tests
        :returns: a :class:`Copy`
        """
        _copy(tree, folder)
        return cls(folder, python, 'nova/virt/libvirt', workspace.root,
                   variables(folder))

    def run(self, test):
        """Run one test.

        :param test: its id
        :returns: the output
        """
        # Of a file that was changed within a second Python might run the
        # old byte code.
        done = process.run(
            [self._python, '-B', '-m', 'testtools.run', test], self._cwd,
            process.environment(PYTHONWARNINGS='ignore', **self._variables))
        return done.stdout + done.stderr

    def mutate(self, mutation):
        """Put a defect in.

        :param mutation: a :class:`Mutation`
        :raises SeriesError: if its patch does not apply
        """
        self._apply(mutation)

    def restore(self, mutation):
        """Take a defect out again."""
        self._apply(mutation, '--reverse')

    def _apply(self, mutation, *options):
        done = git.run(self._folder, 'apply', *options,
                       '--directory=%s' % self._place, str(mutation.patch))
        if done.returncode:
            raise errors.SeriesError('%s does not apply: %s' % (
                mutation.patch.name, errors.last_line(done.stderr)))


def _copy(source, copy):
    if source.is_dir():
        shutil.copytree(source, copy, symlinks=True,
                        ignore=shutil.ignore_patterns('.git', '__pycache__'))
    else:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)
