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

"""Where things are: the checkout, its patches, and the cache folder."""

import contextlib
import fcntl
import pathlib

from series import console
from series import errors
from series import targets

_TARGETS = pathlib.Path('patches', 'targets.yaml')


class Workspace:
    """The folders that the commands work in.

    Only the cache and, by ``series refresh``, ``patches`` are written to.

    :ivar root: the checkout, a ``pathlib.Path``
    :ivar cache: what can be made again: source distributions, trees,
        environments, results
    """

    def __init__(self, root, cache=None):
        """:param root: the checkout

        :param cache: the cache folder; ``.cache`` in the checkout if None
        """
        self.root = pathlib.Path(root).resolve()
        self.cache = (pathlib.Path(cache).resolve() if cache
                      else self.root / '.cache')
        self._targets = None

    @classmethod
    def find(cls, start='.', cache=None):
        """Find the checkout that a folder is in.

        :param start: folder to begin with, then its parents
        :param cache: as for the class
        :returns: a :class:`Workspace`
        :raises SeriesError: if there is none
        """
        start = pathlib.Path(start).resolve()
        for folder in (start, *start.parents):
            if (folder / _TARGETS).is_file():
                return cls(folder, cache)
        raise errors.SeriesError(
            'there is no %s in %s or above it: run this in the checkout, or '
            'give its folder with --workspace' % (_TARGETS, start))

    @property
    def targets(self):
        """All targets, ``{name: Target}``."""
        if self._targets is None:
            self._targets = targets.load(self.root / _TARGETS)
        return self._targets

    def select(self, names):
        """Targets by name, all if there are no names.

        :param names: list of names
        :returns: list of :class:`series.targets.Target`
        :raises SeriesError: if a name is unknown
        """
        return targets.select(self.targets, names)

    def sdist(self, target):
        """The file of a target's source distribution."""
        return self.cache / 'sdists' / ('%s-%s.tar.gz' % (
            target.project, target.release))

    def tree(self, target):
        """The folder of a target's tree."""
        return self.cache / 'trees' / target.name

    def environment(self, target):
        """The folder of a target's virtual environment."""
        return self.cache / 'envs' / target.slug

    def patches(self, target):
        """The folder of a target's patches."""
        return self.root / 'patches' / target.name

    def patch_files(self, target):
        """A target's patches in their order."""
        return sorted(self.patches(target).glob('*.patch'))

    def constraints(self, target):
        """The file of a target's frozen set of packages."""
        return self.root / 'constraints' / ('%s.txt' % target.slug)

    @contextlib.contextmanager
    def locked(self, target):
        """Keep other commands from a target's tree and environment.

        :param target: a :class:`series.targets.Target`
        """
        folder = self.cache / 'locks'
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / target.slug, 'w') as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with console.busy('%s: waiting for another command that uses '
                                  'it' % target.name):
                    fcntl.flock(stream, fcntl.LOCK_EX)
            yield
