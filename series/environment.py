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

"""A target's virtual environment: exactly its frozen set of packages."""

import hashlib
import os
import pathlib
import re
import shutil
import tempfile

from series import console
from series import errors
from series import interpreters

# To be raised when an environment is made in another way, so that those that
# are there are made again.
_RECIPE = 1

_LINE = re.compile(r'[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.+!]*')


class Environment:
    """The virtual environment of one target.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    :ivar path: its folder
    """

    def __init__(self, workspace, target):
        self._target = target
        self._constraints = workspace.constraints(target)
        self.path = workspace.environment(target)

    @property
    def python(self):
        """Its interpreter."""
        return self.path / 'bin' / 'python'

    @property
    def ready(self):
        """Whether it is there and made from the set as it is now."""
        try:
            stamp = (self.path / 'stamp').read_text()
        except OSError:
            return False
        return self.python.exists() and stamp == self._stamp()

    def check(self):
        """Check the frozen set.

        :returns: its text
        :raises SeriesError: if it cannot be read or is not a frozen set
        """
        try:
            text = self._constraints.read_text(encoding='utf-8')
        except OSError as error:
            raise errors.SeriesError(
                '%s: cannot read its frozen set %s: %s' % (
                    self._target.name, self._constraints, error.strerror))
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            if line and not line.startswith('#') and not _LINE.fullmatch(
                    line):
                raise errors.SeriesError(
                    '%s:%d: %r is not like name==version' % (
                        self._constraints, number, line))
        needed = '%s==%s' % (self._target.project, self._target.release)
        if needed not in lines:
            raise errors.SeriesError('%s: %s is not in it' % (
                self._constraints, needed))
        return text

    def make(self):
        """Have the environment.

        The stamp is written last: what an interrupted run leaves is made
        again.

        :raises NoInterpreter: if the interpreter is not to be had
        :raises SeriesError: if a package cannot be installed
        """
        self.check()
        if self.ready:
            return
        interpreter = interpreters.require(self._target.python)
        with console.busy('%s: making the environment with Python %s' % (
                self._target.name, self._target.python)):
            if self.path.exists():
                shutil.rmtree(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._uv('venv', '--quiet', '--python', interpreter,
                     str(self.path))
            self._install()
            self._link_etc()
        (self.path / 'stamp').write_text(self._stamp())

    def _install(self):
        command = ['pip', 'install', '--quiet', '--no-deps', '--python',
                   str(self.python), '--requirement', str(self._constraints)]
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as stream:
            stream.write('\n'.join(self._target.build_constraints))
            stream.flush()
            if self._target.build_constraints:
                command += ['--build-constraints', stream.name]
            self._uv(*command)

    def _link_etc(self):
        # The functional base classes look for etc/<project> beside the
        # package, where it is in a checkout; a wheel's data files are
        # elsewhere. Packages of old sets make a real etc folder there.
        data = self.path / 'etc' / self._target.project
        if not data.is_dir():
            return
        for package in self.path.glob('lib/python3*/site-packages'):
            link = package / 'etc' / self._target.project
            link.parent.mkdir(exist_ok=True)
            if not link.exists():
                os.symlink(os.path.relpath(data, link.parent), link)

    def _uv(self, *arguments):
        done = interpreters.run_uv(*arguments)
        if done.returncode:
            raise errors.SeriesError(
                '%s: the environment cannot be made: %s' % (
                    self._target.name, _reason(done.stderr)))

    def _stamp(self):
        recipe = '\n'.join([
            str(_RECIPE), self._target.python,
            ' '.join(self._target.build_constraints), self.check()])
        return hashlib.sha256(recipe.encode()).hexdigest() + '\n'

    def variables(self, *first):
        """What a program that runs in the environment gets.

        :param first: folders that shadow what is installed
        :returns: mapping of variables to set
        """
        return {
            'PATH': os.pathsep.join([str(self.path / 'bin'),
                                     os.environ.get('PATH', os.defpath)]),
            'PYTHONPATH': os.pathsep.join(str(pathlib.Path(path))
                                          for path in first),
            'LC_ALL': 'C.UTF-8',
            'TZ': 'UTC',
        }


def _reason(stderr):
    """uv's error and its causes in one line."""
    if 'dns error' in stderr or 'client error (Connect)' in stderr:
        return ('the package index cannot be reached: check the network and '
                "uv's configuration")
    lines = [line.strip(' ×╰─▶├│\t') for line in stderr.splitlines()]
    return ': '.join([line for line in lines if line][:3]) or 'uv failed'
