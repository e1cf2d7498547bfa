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

"""Find the Python interpreters that the targets need."""

import functools
import os
import pathlib
import re
import shutil

import uv

from series import console
from series import errors
from series import process


class NoInterpreter(errors.SeriesError):
    """An interpreter is neither there nor to be had."""


@functools.lru_cache(maxsize=None)
def search_path():
    """The folders in which uv looks for interpreters.

    pyenv offers only the versions that are switched on; all that it has
    installed are added, newest first.

    :returns: value for the variable PATH
    """
    root = os.environ.get('PYENV_ROOT')
    if not root and shutil.which('pyenv'):
        root = process.run(['pyenv', 'root']).stdout.strip()
    folders = pathlib.Path(root or '.', 'versions').glob('*/bin')
    return os.pathsep.join([os.environ.get('PATH', os.defpath)] + [
        str(folder) for folder in sorted(folders, key=_version,
                                         reverse=True)] if root else [
        os.environ.get('PATH', os.defpath)])


def run_uv(*arguments):
    """Run uv with that search path.

    :param arguments: uv's arguments
    :returns: a ``subprocess.CompletedProcess``
    """
    return process.run(
        [uv.find_uv_bin(), *arguments],
        env=process.environment(PATH=search_path(), UV_NO_PROGRESS='1'))


def find(version):
    """Find an interpreter on this machine.

    :param version: e.g. ``3.12``
    :returns: its path, or None
    """
    done = run_uv('python', 'find', '--system', '--no-project',
                  '--no-python-downloads', version)
    return None if done.returncode else done.stdout.strip()


def require(version):
    """Find an interpreter, or have uv fetch it where it may.

    :param version: e.g. ``3.12``
    :returns: its path
    :raises NoInterpreter: if there is none
    """
    path = find(version)
    if path is None and os.environ.get('UV_PYTHON_DOWNLOADS') not in (
            'never', 'manual'):
        with console.busy('Python %s is not on this machine: asking uv for '
                          'it' % version):
            run_uv('python', 'install', version)
        path = find(version)
    if path is None:
        raise NoInterpreter(missing(version))
    return path


def missing(version):
    """What to do without an interpreter.

    :param version: e.g. ``3.12``
    :returns: the advice in words
    """
    return ('needs Python %s: put it in PATH, or run "pyenv install %s", or '
            'let uv fetch it' % (version, version))


def _version(folder):
    return [int(number) for number in re.findall(
        r'\d+', folder.parent.name)]
