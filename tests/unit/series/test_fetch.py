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

import socket

import fixtures

from series import git
from series import sdist
from tests.unit.series import base


class TestFetch(base.TestCase):

    def offer(self):
        """Let pip find the source distribution without a network."""
        for name, value in (('PIP_NO_INDEX', '1'),
                            ('PIP_FIND_LINKS', str(self.demo.index))):
            self.useFixture(fixtures.EnvironmentVariable(name, value))

    def left(self):
        """Everything in the cache that is no lock."""
        return sorted(
            str(path.relative_to(self.demo.workspace.cache))
            for path in self.demo.workspace.cache.rglob('*')
            if path.is_file() and path.parent.name != 'locks')

    def test_from_index(self):
        self.offer()
        self.assertWorks('fetch', base.TARGET)
        self.assertEqual(self.demo.sdist.read_bytes(),
                         self.demo.workspace.sdist(
                             self.demo.target).read_bytes())
        self.assertEqual([], self.demo.tree.commits)

    def test_tree(self):
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        tree = self.demo.tree
        for name, content in base.FILES.items():
            self.assertEqual(content, (tree.path / name).read_text())
        self.assertEqual((tree.base, []), (tree.head, tree.changes))

    def test_reproducible(self):
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        other = self.useFixture(base.Workspace())
        other.fetched()
        other.tree.make()
        self.assertEqual(other.tree.base, self.demo.tree.base)

    def test_again(self):
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        self.demo.commit('Change it', nova__virt='FIRST = 2\n')
        head = self.demo.tree.head
        self.assertWorks('fetch', base.TARGET)
        self.assertEqual(head, self.demo.tree.head)

    def test_other_release(self):
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        self.demo.entry['sdist_sha256'] = '0' * 64
        self.demo.write()
        self.assertFails(['apply', base.TARGET], 'of another release')

    def test_damaged(self):
        self.demo.fetched()
        path = self.demo.workspace.sdist(self.demo.target)
        path.write_bytes(path.read_bytes()[:-1])
        self.assertFails(['fetch', base.TARGET], str(path), 'is damaged',
                         'remove it')
        self.assertFalse(self.demo.tree.exists)

    def test_other_hash_at_index(self):
        self.offer()
        base.make_sdist(self.demo.sdist, dict(base.FILES, more=''))
        self.assertFails(['fetch', base.TARGET], 'another hash')
        self.assertEqual([], self.left())

    def test_no_network(self):
        with socket.socket() as closed:
            closed.bind(('127.0.0.1', 0))
            port = closed.getsockname()[1]
        for name, value in (
                ('PIP_INDEX_URL', 'http://127.0.0.1:%d/simple' % port),
                ('PIP_RETRIES', '1')):
            self.useFixture(fixtures.EnvironmentVariable(name, value))
        self.assertFails(['fetch', base.TARGET], 'nova 1.0.0',
                         'cannot be reached')
        self.assertEqual([], self.left())

    def test_no_such_release(self):
        self.offer()
        self.demo.sdist.unlink()
        self.assertFails(['fetch', base.TARGET], 'nova 1.0.0')
        self.assertEqual([], self.left())

    def test_no_sdist(self):
        self.demo.sdist.write_bytes(b'nothing of the kind')
        self.demo.entry['sdist_sha256'] = sdist.digest(self.demo.sdist)
        self.demo.write()
        self.demo.fetched()
        self.assertFails(['fetch', base.TARGET], 'cannot be unpacked')
        self.assertFalse(self.demo.tree.path.exists())

    def test_interrupted(self):
        self.demo.fetched()
        check = git.check

        def interrupted(cwd, *arguments):
            if arguments[0] == 'commit':
                raise KeyboardInterrupt
            return check(cwd, *arguments)

        with fixtures.MonkeyPatch('series.git.check', interrupted):
            status, _, err = self.series('fetch', base.TARGET)
        self.assertEqual((130, 'series: interrupted\n'), (status, err))
        self.assertFalse(self.demo.tree.path.exists())
        self.assertEqual(['sdists/nova-1.0.0.tar.gz'], self.left())
        self.assertWorks('fetch', base.TARGET)
        self.assertEqual([], self.demo.tree.changes)

    def test_killed(self):
        # What a process that was killed leaves: a folder beside the tree.
        self.demo.fetched()
        half = self.demo.tree.path.parent / '.half' / 'tree'
        half.mkdir(parents=True)
        (self.demo.tree.path).mkdir()
        self.assertWorks('fetch', base.TARGET)
        self.assertEqual([], self.demo.tree.changes)
