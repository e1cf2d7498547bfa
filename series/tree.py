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

"""A target's tree: the release as a git repository, the series on top of it.

The first commit is the release as its source distribution has it, marked by
the tag ``base``. Above it are the patches, applied by ``git am``. Author,
committer and dates are fixed, so that the same release and the same patches
give the same commit ids on every machine.

A file in the repository's ``.git`` folder, the stamp, says which patches the
commits above the base were made from or written to. With it a command knows
whether it would lose somebody's work.
"""

import json
import os
import re
import shutil
import tempfile

from series import console
from series import errors
from series import git
from series import patches
from series import sdist

_EXCLUDED = ('*.pyc', '__pycache__/', '.stestr/', '.tox/', '*.sqlite')


class Tree:
    """The tree of one target.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    :ivar path: its folder
    """

    def __init__(self, workspace, target):
        self._workspace = workspace
        self._target = target
        self.path = workspace.tree(target)

    @property
    def exists(self):
        """Whether there is a tree."""
        return (self.path / '.git').is_dir()

    @property
    def head(self):
        """Id of the commit at the top."""
        return git.check(self.path, 'rev-parse', 'HEAD')

    @property
    def base(self):
        """Id of the commit that is the release."""
        return git.check(self.path, 'rev-parse', 'base^{commit}')

    @property
    def commits(self):
        """Ids of the commits above the base, oldest first."""
        return git.check(self.path, 'rev-list', '--reverse',
                         'base..HEAD').split()

    @property
    def changes(self):
        """Files that differ from the commit at the top."""
        lines = git.check(self.path, 'status', '--porcelain')
        return [line[3:] for line in lines.splitlines()]

    @property
    def in_step(self):
        """Whether the commits are those of the patches as they are now."""
        stamp = self._stamp()
        return (stamp['head'] == self.head
                and stamp['patches'] == self._digest())

    @property
    def known(self):
        """Whether the commits are those of patches, of today or earlier."""
        return self._stamp()['head'] == self.head

    def make(self):
        """Have the tree; an existing one is left as it is.

        It is made in a folder beside and moved into place, so that an
        interrupted run leaves no half tree.

        :raises SeriesError: if the source distribution is not to be had, or
            if the tree that is there is of another release
        """
        message = '%s %s\n\nsha256: %s' % (
            self._target.project, self._target.release,
            self._target.sdist_sha256)
        if self.exists:
            if git.check(self.path, 'show', '--no-patch', '--format=%B',
                         'base') != message:
                raise errors.SeriesError(
                    '%s: %s is the tree of another release: save your '
                    'commits and remove it' % (
                        self._target.name, self.path))
            return
        archive = sdist.fetch(self._workspace, self._target)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
                dir=self.path.parent, prefix='.') as folder:
            with console.busy('%s: making the tree' % self._target.name):
                made = type(self.path)(folder) / 'tree'
                made.mkdir()
                sdist.unpack(archive, made)
                git.check(made, 'init', '--quiet', '--template=',
                          '--initial-branch=series')
                exclude = made / '.git' / 'info' / 'exclude'
                exclude.parent.mkdir(exist_ok=True)
                exclude.write_text('\n'.join(_EXCLUDED) + '\n')
                git.check(made, 'config', 'gc.auto', '0')
                git.check(made, 'add', '--all', '--force', '.')
                git.check(made, 'commit', '--quiet', '--no-verify',
                          '--message', message)
                git.check(made, 'tag', 'base')
            if self.path.exists():
                # No repository, so nothing that anybody committed to.
                shutil.rmtree(self.path)
            os.rename(made, self.path)

    def apply(self, discard=False):
        """Put the series on the base.

        :param discard: whether to throw away what is only in the tree
        :returns: whether there was anything to do
        :raises SeriesError: if a patch does not apply, which leaves the tree
            at its base, or if the tree has what is in no patch
        """
        self.make()
        if self._marker.exists():
            # An interrupted run of this function: all is in the patches.
            discard = True
        if not discard:
            self._refuse_to_lose()
            if self.in_step:
                return False
        files = self._workspace.patch_files(self._target)
        self._marker.touch()
        self._reset()
        for path in files:
            done = git.run(
                self.path, 'am', '--quiet', '--keep-non-patch',
                '--committer-date-is-author-date', '--no-gpg-sign',
                '--no-3way', '--no-scissors', '--whitespace=nowarn',
                str(path))
            if done.returncode:
                self._reset()
                self._write_stamp(patches.digest([]))
                self._marker.unlink()
                raise errors.SeriesError('%s: %s does not apply: %s' % (
                    self._target.name, path.name, _reason(done)))
        self._write_stamp(self._digest())
        self._marker.unlink()
        return True

    def refresh(self, force=False):
        """Write the patches from the commits above the base.

        Files whose content stays the same are not touched.

        :param force: whether to replace patches that the tree never had
        :returns: ``(names written, names removed)``
        :raises SeriesError: if the tree has changes that are in no commit,
            or if patches would be lost
        """
        if not self.exists:
            raise errors.SeriesError(
                '%s: there is no tree: make it with "series apply %s"' % (
                    self._target.name, self._target.name))
        if self._marker.exists() or self._rebasing:
            raise errors.SeriesError(
                '%s: the tree is in the middle of git am or git rebase: '
                'finish that first' % self._target.name)
        if self.changes:
            raise errors.SeriesError(
                '%s: the tree has changes that are in no commit (%s): commit '
                'or remove them first' % (
                    self._target.name, _some(self.changes)))
        folder = self._workspace.patches(self._target)
        old = {path.name: path.read_bytes()
               for path in self._workspace.patch_files(self._target)}
        new = self.format()
        if (old != new and not force
                and self._stamp()['patches'] != self._digest()):
            raise errors.SeriesError(
                '%s: %s holds patches that the tree never had: see "series '
                'status", then "series apply" them, or replace them with '
                '"series refresh --force %s"' % (
                    self._target.name, folder, self._target.name))
        changed = sorted(name for name in new if old.get(name) != new[name])
        removed = sorted(set(old) - set(new))
        _replace(folder, {name: new[name] for name in changed}, removed)
        self._write_stamp(self._digest())
        return changed, removed

    def format(self):
        """What the patches of the commits above the base are.

        :returns: ``{name of the file: its content}``
        """
        with tempfile.TemporaryDirectory() as folder:
            git.check(
                self.path, 'format-patch', '--quiet', '--zero-commit',
                '--no-signature', '--full-index', '--no-numbered',
                '--output-directory', folder, 'base..HEAD')
            return {entry.name: type(self.path)(entry.path).read_bytes()
                    for entry in os.scandir(folder)}

    @property
    def _marker(self):
        # There while apply() is at work.
        return self.path / '.git' / 'series-applying'

    @property
    def _rebasing(self):
        return any((self.path / '.git' / name).exists()
                   for name in ('rebase-apply', 'rebase-merge'))

    def _digest(self):
        return patches.digest(self._workspace.patch_files(self._target))

    def _stamp(self):
        try:
            return json.loads(
                (self.path / '.git' / 'series-stamp').read_text())
        except (OSError, ValueError):
            return {'head': self.base, 'patches': patches.digest([])}

    def _write_stamp(self, digest):
        stamp = self.path / '.git' / 'series-stamp'
        new = stamp.with_suffix('.new')
        new.write_text(json.dumps({'head': self.head, 'patches': digest}))
        os.replace(new, stamp)

    def _reset(self):
        git.run(self.path, 'am', '--abort')
        git.run(self.path, 'rebase', '--abort')
        git.check(self.path, 'checkout', '--quiet', '--force', '-B', 'series',
                  'base')
        git.check(self.path, 'clean', '--quiet', '-d', '--force')

    def _refuse_to_lose(self):
        name = self._target.name
        if self._rebasing:
            raise errors.SeriesError(
                '%s: the tree is in the middle of git am or git rebase: '
                'finish that, or throw it away with "series apply --discard '
                '%s"' % (name, name))
        if self.changes:
            raise errors.SeriesError(
                '%s: the tree has changes that are in no commit (%s): commit '
                'them and write them to patches with "series refresh %s", or '
                'throw them away with "series apply --discard %s"' % (
                    name, _some(self.changes), name, name))
        if self.head not in (self._stamp()['head'], self.base):
            raise errors.SeriesError(
                '%s: the tree has commits that are in no patch: write them '
                'to patches with "series refresh %s", or throw them away '
                'with "series apply --discard %s"' % (name, name, name))


def _replace(folder, contents, removed):
    """Write all files beside their places, then put them there."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix='.') as beside:
        for name, content in contents.items():
            with open(os.path.join(beside, name), 'wb') as stream:
                stream.write(content)
        for name in contents:
            os.replace(os.path.join(beside, name), folder / name)
    for name in removed:
        (folder / name).unlink()


def _some(names):
    return ', '.join(names[:3]) + (', ...' if len(names) > 3 else '')


def _reason(done):
    """The file and the line that git am failed at."""
    for line in (done.stderr + done.stdout).splitlines():
        match = re.match(r'error: patch failed: (.*):(\d+)$', line)
        if match:
            return 'the hunk at line %s of %s does not fit' % (
                match.group(2), match.group(1))
        if line.startswith('error: '):
            return line[len('error: '):]
    return errors.last_line(done.stderr or done.stdout)
