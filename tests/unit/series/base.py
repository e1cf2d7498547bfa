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

"""A workspace with one small release, made in a temporary folder."""

import contextlib
import gzip
import hashlib
import io
import os
import pathlib
import sys
import tarfile
import textwrap

import fixtures
import testtools
import yaml

from series import git
from series import main
from series import tree
from series import workspace

TARGET = 'nova/demo'

PYTHON = '%d.%d' % sys.version_info[:2]

FILES = {
    'nova/__init__.py': '',
    'nova/virt.py': 'FIRST = 1\n\n\n\nLAST = 1\n',
    'setup.py': "import setuptools\nsetuptools.setup(name='nova', "
                "version='1.0.0', packages=['nova'])\n",
    'PKG-INFO': 'Metadata-Version: 1.0\nName: nova\nVersion: 1.0.0\n',
}

MESSAGE = textwrap.dedent("""\
    %s

    Because it is better so.

    %s: #2048837
    Change-Id: I%040x
    """)


def make_sdist(path, files=FILES, top='nova-1.0.0'):
    """Write a source distribution; the same files give the same bytes."""
    with gzip.GzipFile(path, 'wb', mtime=0) as stream, tarfile.open(
            fileobj=stream, mode='w', format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            info = tarfile.TarInfo('%s/%s' % (top, name))
            info.size = len(content.encode())
            archive.addfile(info, io.BytesIO(content.encode()))


class Workspace(fixtures.Fixture):
    """A checkout with the target ``nova/demo`` and an empty cache.

    :ivar root: the checkout
    :ivar workspace: the :class:`series.workspace.Workspace`
    :ivar sdist: the file that a package index would have
    :ivar entry: the target's entry, to be changed and written
    """

    def _setUp(self):
        # git and uv resolve symbolic links in what they print.
        self.root = pathlib.Path(self.useFixture(
            fixtures.TempDir()).path).resolve() / 'checkout'
        (self.root / 'patches').mkdir(parents=True)
        (self.root / 'constraints').mkdir()
        (self.root / 'constraints' / 'nova-demo.txt').write_text(
            'nova==1.0.0\n')
        self.index = self.root.parent / 'index'
        self.index.mkdir()
        self.sdist = self.index / 'nova-1.0.0.tar.gz'
        make_sdist(self.sdist)
        self.entry = {
            'project': 'nova', 'branch': 'stable/demo', 'release': '1.0.0',
            'sdist_sha256': hashlib.sha256(
                self.sdist.read_bytes()).hexdigest(),
            'python': PYTHON, 'concurrency': ['eventlet'],
            'bugs': {'2048837': 'not fixed'},
            'released': {'delete-delete': 'leak'},
        }
        self.write()

    def write(self, entries=None):
        """Write the targets, and forget what was read of them."""
        (self.root / 'patches' / 'targets.yaml').write_text(
            yaml.safe_dump(entries or {TARGET: self.entry}))
        self.workspace = workspace.Workspace(self.root)

    @property
    def target(self):
        return self.workspace.targets[TARGET]

    @property
    def tree(self):
        return tree.Tree(self.workspace, self.target)

    @property
    def patches(self):
        return self.workspace.patch_files(self.target)

    def fetched(self):
        """Put the source distribution in the cache, as if it was fetched."""
        path = self.workspace.sdist(self.target)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.sdist.read_bytes())

    def commit(self, subject, bug='Related-Bug', number=1, **files):
        """Commit to the tree as a developer does.

        :param bug: key of the line about the bug
        :param number: what makes the Change-Id
        :param files: contents by name, ``nova__virt`` for ``nova/virt.py``
        """
        for name, content in files.items():
            path = self.tree.path / (name.replace('__', '/') + '.py')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self.commit_all(MESSAGE % (subject, bug, number))

    def commit_all(self, message):
        """Commit all changes in the tree with a message."""
        git.check(self.tree.path, 'add', '--all')
        git.check(self.tree.path, 'commit', '--quiet', '--message', message)


class TestCase(testtools.TestCase):
    """A test that drives the commands against such a workspace."""

    def setUp(self):
        super().setUp()
        self.useFixture(fixtures.Timeout(120, gentle=True))
        self.demo = self.useFixture(Workspace())
        # Nobody's own configuration or package index takes part.
        for name in list(os.environ):
            if name.startswith(('PIP_', 'UV_', 'GIT_')):
                self.useFixture(fixtures.EnvironmentVariable(name))
        self.useFixture(fixtures.EnvironmentVariable(
            'PIP_CONFIG_FILE', os.devnull))
        self.useFixture(fixtures.EnvironmentVariable('UV_NO_CONFIG', '1'))
        self.useFixture(fixtures.EnvironmentVariable(
            'UV_PYTHON_DOWNLOADS', 'never'))

    def series(self, *arguments):
        """Run a command.

        :returns: ``(exit status, standard output, standard error)``
        """
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main.main(
                ['--workspace', str(self.demo.root), *arguments])
        return status, out.getvalue(), err.getvalue()

    def assertFails(self, arguments, *words):
        """A command ends with status 2 and one line that has some words."""
        status, _, err = self.series(*arguments)
        self.assertEqual(2, status)
        self.assertEqual(1, err.count('\n'), err)
        self.assertTrue(err.startswith('series: '), err)
        for word in words:
            self.assertIn(word, err)

    def assertWorks(self, *arguments):
        """A command ends with status 0.

        :returns: its standard output
        """
        status, out, err = self.series(*arguments)
        self.assertEqual((0, ''), (status, err), out + err)
        return out
