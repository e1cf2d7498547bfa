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

import subprocess

import fixtures

from series import git
from tests.unit.series import base


class TestTree(base.TestCase):

    def setUp(self):
        super().setUp()
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)

    def two(self):
        """Two commits, written to patches."""
        self.demo.commit('Change the first', number=1,
                         nova__virt='FIRST = 2\n\n\n\nLAST = 1\n')
        self.demo.commit('Change the last', number=2,
                         nova__virt='FIRST = 2\n\n\n\nLAST = 2\n')
        self.assertWorks('refresh', base.TARGET)

    def contents(self):
        return {path.name: (path.read_bytes(), path.stat().st_ino)
                for path in self.demo.patches}

    def test_refresh(self):
        self.two()
        names = [path.name for path in self.demo.patches]
        self.assertEqual(['0001-Change-the-first.patch',
                          '0002-Change-the-last.patch'], names)
        text = self.demo.patches[0].read_text()
        self.assertTrue(text.startswith('From ' + '0' * 40), text)
        self.assertIn('Subject: [PATCH] Change the first\n', text)

    def test_refresh_again(self):
        self.two()
        before = self.contents()
        self.assertIn('nothing changed',
                      self.assertWorks('refresh', base.TARGET))
        self.assertEqual(before, self.contents())

    def test_refresh_touches_only_what_changed(self):
        self.two()
        before = self.contents()
        git.check(self.demo.tree.path, 'reset', '--quiet', '--hard', 'HEAD^')
        self.demo.commit('Change the last', number=2,
                         nova__virt='FIRST = 2\n\n\n\nLAST = 3\n')
        self.assertWorks('refresh', base.TARGET)
        after = self.contents()
        first, last = sorted(before)
        self.assertEqual(before[first], after[first])
        self.assertNotEqual(before[last], after[last])

    def test_refresh_removes(self):
        self.two()
        git.check(self.demo.tree.path, 'reset', '--quiet', '--hard', 'HEAD^')
        self.assertIn('0002-Change-the-last.patch removed',
                      self.assertWorks('refresh', base.TARGET))
        self.assertEqual(1, len(self.demo.patches))

    def test_refresh_ignores_configuration(self):
        self.two()
        before = self.contents()
        config = self.demo.root / 'config'
        config.write_text('[format]\n\tsignOff = true\n\tnumbered = true\n'
                          '[core]\n\tabbrev = 4\n[diff]\n\tnoprefix = true\n')
        self.useFixture(fixtures.EnvironmentVariable(
            'GIT_CONFIG_GLOBAL', str(config)))
        self.assertWorks('refresh', base.TARGET)
        self.assertEqual(before, self.contents())

    def test_refresh_needs_commits(self):
        (self.demo.tree.path / 'nova' / 'new.py').write_text('')
        self.assertFails(['refresh', base.TARGET], 'nova/new.py', 'commit')

    def test_refresh_keeps_unknown_patches(self):
        self.two()
        git.check(self.demo.tree.path, 'reset', '--quiet', '--hard', 'base')
        (self.demo.tree.path / '.git' / 'series-stamp').unlink()
        self.assertFails(['refresh', base.TARGET], 'never had', '--force')
        self.assertEqual(2, len(self.demo.patches))
        self.assertWorks('refresh', '--force', base.TARGET)
        self.assertEqual([], self.demo.patches)

    def test_refresh_without_tree(self):
        other = self.useFixture(base.Workspace())
        self.demo = other
        self.assertFails(['refresh', base.TARGET], 'series apply')

    def test_apply(self):
        self.two()
        head = self.demo.tree.head
        other = self.useFixture(base.Workspace())
        other.fetched()
        patches = self.demo.patches
        self.demo = other
        folder = other.workspace.patches(other.target)
        folder.mkdir(parents=True)
        for path in patches:
            (folder / path.name).write_bytes(path.read_bytes())
        self.assertIn('2 patches applied',
                      self.assertWorks('apply', base.TARGET))
        self.assertEqual('FIRST = 2\n\n\n\nLAST = 2\n',
                         (other.tree.path / 'nova/virt.py').read_text())
        self.assertWorks('refresh', base.TARGET)
        self.assertEqual([path.read_bytes() for path in patches],
                         [path.read_bytes() for path in other.patches])
        self.assertEqual(head, other.tree.head)

    def test_apply_again_does_nothing(self):
        self.two()
        path = self.demo.tree.path / '.git' / 'HEAD'
        before = path.stat().st_mtime_ns
        self.assertIn('were applied already',
                      self.assertWorks('apply', base.TARGET))
        self.assertEqual(before, path.stat().st_mtime_ns)

    def test_apply_after_patches_changed(self):
        self.two()
        self.demo.patches[1].unlink()
        self.assertIn('1 patches applied',
                      self.assertWorks('apply', base.TARGET))
        self.assertEqual(1, len(self.demo.tree.commits))

    def test_apply_without_identity(self):
        self.two()
        self.useFixture(fixtures.EnvironmentVariable('HOME', '/nonexistent'))
        self.assertWorks('apply', '--discard', base.TARGET)

    def test_apply_keeps_changes(self):
        self.two()
        path = self.demo.tree.path / 'nova' / 'virt.py'
        path.write_text('MINE = 1\n')
        self.assertFails(['apply', base.TARGET], 'nova/virt.py',
                         'series refresh', '--discard')
        self.assertEqual('MINE = 1\n', path.read_text())
        self.assertWorks('apply', '--discard', base.TARGET)
        self.assertEqual('FIRST = 2\n\n\n\nLAST = 2\n', path.read_text())

    def test_apply_keeps_commits(self):
        self.two()
        self.demo.commit('Mine', nova__mine='MINE = 1\n')
        head = self.demo.tree.head
        self.assertFails(['apply', base.TARGET], 'series refresh',
                         '--discard')
        self.assertEqual(head, self.demo.tree.head)

    def test_apply_ignores_bytecode(self):
        self.two()
        folder = self.demo.tree.path / 'nova' / '__pycache__'
        folder.mkdir()
        (folder / 'virt.cpython-38.pyc').write_text('')
        self.assertWorks('apply', base.TARGET)

    def test_patch_does_not_apply(self):
        self.two()
        path = self.demo.patches[1]
        path.write_text(path.read_text().replace('-LAST = 1', '-LAST = 7'))
        self.assertFails(['apply', base.TARGET], path.name,
                         'does not apply', 'line', 'nova/virt.py')
        tree = self.demo.tree
        self.assertEqual((tree.base, []), (tree.head, tree.changes))
        self.assertEqual('', git.check(tree.path, 'log', 'base..HEAD'))
        self.assertFalse((tree.path / '.git' / 'rebase-apply').exists())

    def test_patch_for_missing_file(self):
        self.two()
        path = self.demo.patches[0]
        path.write_text(path.read_text().replace('nova/virt.py',
                                                 'nova/none.py'))
        self.assertFails(['apply', base.TARGET], path.name, 'nova/none.py')

    def test_patch_is_none(self):
        self.two()
        self.demo.patches[0].write_text('nothing of the kind\n')
        self.assertFails(['apply', base.TARGET], self.demo.patches[0].name)
        self.assertEqual(self.demo.tree.base, self.demo.tree.head)

    def test_apply_after_a_kill(self):
        self.two()
        tree = self.demo.tree
        (tree.path / '.git' / 'series-applying').touch()
        subprocess.run(['git', 'reset', '--quiet', '--hard', 'HEAD^'],
                       cwd=tree.path, check=True)
        (tree.path / 'nova' / 'half.py').write_text('')
        self.assertFails(['refresh', base.TARGET], 'in the middle of')
        self.assertWorks('apply', base.TARGET)
        self.assertEqual((2, []), (len(tree.commits), tree.changes))

    def test_status(self):
        self.assertIn('tree: base; 0 patches; no env',
                      self.assertWorks('status'))
        self.two()
        self.assertIn('tree: applied; 2 patches',
                      self.assertWorks('status', base.TARGET))
        text = self.demo.patches[1].read_text()
        self.demo.patches[1].unlink()
        self.assertIn('tree: older than the patches',
                      self.assertWorks('status'))
        (self.demo.patches[0].parent / '0002-Change-the-last.patch'
         ).write_text(text)
        self.demo.commit('Mine', nova__mine='MINE = 1\n')
        self.assertIn('tree: diverged: 3 commits',
                      self.assertWorks('status'))
        (self.demo.tree.path / 'nova' / 'more.py').write_text('')
        self.assertIn('tree: diverged: 1 changed files',
                      self.assertWorks('status'))
