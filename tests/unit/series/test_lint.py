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

import textwrap

import ddt
import fixtures

from series import git
from series import identity
from series import patches
from tests.unit.series import base

NOTE = textwrap.dedent("""\
    ---
    fixes:
      - |
        It works.
    """)

OURS = 'HELD = {}\n'


@ddt.ddt
class TestLint(base.TestCase):

    def setUp(self):
        super().setUp()
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        self.useFixture(fixtures.MonkeyPatch('series.identity.FILES', {
            'nova': {}, 'cinder': {}}))

    def fix(self, message=None, note=NOTE, name='nova/virt.py',
            content='FIRST = 2\n\n\n\nLAST = 1\n'):
        """Commit a fix with a release note and write the patches."""
        tree = self.demo.tree.path
        notes = tree / 'releasenotes' / 'notes'
        notes.mkdir(parents=True, exist_ok=True)
        if note is not None:
            (notes / 'fix.yaml').write_text(note)
        (tree / name).write_text(content)
        self.demo.commit_all(
            message or base.MESSAGE % ('Fix it', 'Closes-Bug', 1))
        self.assertWorks('refresh', base.TARGET)

    def assertFinding(self, words):
        status, out, err = self.series('lint')
        self.assertEqual(1, status, out + err)
        self.assertIn(words, out)
        self.assertEqual(2, out.count('\n'), out)

    def test_in_order(self):
        self.fix()
        self.assertEqual('lint: 1 patches of 1 targets: in order\n',
                         self.assertWorks('lint'))

    def test_no_patches(self):
        self.assertIn('0 patches of 1 targets: in order',
                      self.assertWorks('lint'))

    def test_no_mail(self):
        self.fix()
        self.demo.patches[0].write_text('nothing of the kind\n')
        status, out, _ = self.series('lint')
        self.assertEqual(1, status)
        self.assertIn('nova/demo/0001-Fix-it.patch: not a mail', out)
        self.assertIn('does not apply', out)

    def test_does_not_apply(self):
        self.fix()
        path = self.demo.patches[0]
        path.write_text(path.read_text().replace('-FIRST', '-THIRD'))
        self.assertFinding('nova/demo: 0001-Fix-it.patch does not apply: ')

    def test_churn(self):
        self.fix()
        path = self.demo.patches[0]
        path.write_text(path.read_text().replace(
            'From: volume-races', 'From:  volume-races'))
        self.assertFinding('0001-Fix-it.patch: "series refresh" would')

    def test_wrong_name(self):
        self.fix()
        path = self.demo.patches[0]
        path.rename(path.with_name('0002-Fix-it.patch'))
        self.assertFinding('0002-Fix-it.patch: "series refresh" would')

    def test_long_subject(self):
        self.fix(base.MESSAGE % (50 * 'x', 'Closes-Bug', 1))
        self.assertNotIn('subject', self.assertWorks('lint'))

    def test_longer_subject(self):
        self.fix(base.MESSAGE % (51 * 'x', 'Closes-Bug', 1))
        self.assertIn('warning: the subject has 51 characters',
                      self.assertWorks('lint'))

    def test_too_long_subject(self):
        self.fix(base.MESSAGE % (73 * 'x', 'Closes-Bug', 1))
        self.assertFinding('the subject has 73 characters')

    def test_long_body(self):
        self.fix('Fix it\n\n%s\n\nCloses-Bug: #1\nChange-Id: I%040x\n' % (
            15 * 'words', 1))
        self.assertFinding('a line of the message has 75 characters')

    def test_long_address(self):
        self.fix('Fix it\n\nSee\nhttps://%s\n\nCloses-Bug: #1\n'
                 'Change-Id: I%040x\n' % (15 * 'words', 1))
        self.assertWorks('lint')

    @ddt.data(
        'Closes-Bug: #1',
        'Closes-Bug: #1\nChange-Id: I123',
        'Closes-Bug: #1\nChange-Id: I%040x\nChange-Id: I%040x' % (1, 2),
        'Change-Id: I%040x\n\nCloses-Bug: #1' % 1,
        )
    def test_change_id(self, trailers):
        self.fix('Fix it\n\nBecause.\n\n%s\n' % trailers)
        status, out, _ = self.series('lint')
        self.assertEqual(1, status)
        self.assertIn('0001-Fix-it.patch: its last paragraph needs one '
                      '"Change-Id: I"', out)

    def test_no_bug(self):
        self.fix('Fix it\n\nChange-Id: I%040x\n' % 1)
        self.assertFinding('it needs one of Closes-Bug, Related-Bug')

    def test_bug_without_number(self):
        self.fix(base.MESSAGE.replace('#2048837', 'lp#1') % (
            'Fix it', 'Related-Bug', 1))
        self.assertFinding('the bug lp#1 should be like')

    def test_signed_off(self):
        self.fix((base.MESSAGE % ('Fix it', 'Related-Bug', 1)).rstrip()
                 + '\nSigned-off-by: A <a@example.org>\n')
        self.assertFinding('Signed-off-by')

    def test_no_release_note(self):
        self.fix(note=None)
        self.assertFinding('it closes a bug and has no release note')

    def test_no_release_note_needed(self):
        self.fix(base.MESSAGE % ('Fix it', 'Related-Bug', 1), note=None)
        self.assertWorks('lint')

    @ddt.data(('fixes: [', 'is not valid YAML'), ('fixes: x\n', 'no list'),
              ('---\nother: []\n', 'no list'), ('fixes: [1]\n', 'no list'),
              ('- x\n', 'no list'))
    @ddt.unpack
    def test_release_note(self, note, words):
        self.fix(note=note)
        self.assertFinding(words)

    def test_white_space(self):
        self.fix(content='# First \nFIRST = 1\n\n\n\nLAST = 1\n')
        self.assertFinding('white space at the end of a line that it adds to '
                           'nova/virt.py')

    def test_long_line(self):
        self.fix(content='FIRST = "%s"\n\n\n\nLAST = 1\n' % (70 * 'x'))
        self.assertFinding('it adds a line of 80 characters to nova/virt.py')

    def test_flakes(self):
        self.fix(content='import os\nFIRST = 1\n\n\n\nLAST = 1\n')
        self.assertFinding("nova/virt.py: 'os' imported but unused")

    def test_syntax(self):
        self.fix(content='FIRST = (1\n\n\n\nLAST = 1\n')
        self.assertFinding('nova/demo: nova/virt.py: ')

    def test_style_of_new_file(self):
        self.fix(name='nova/new.py', content='FIRST=1\n')
        self.assertFinding('nova/new.py: line 1: E225')

    def test_same_change(self):
        self.fix()
        self.fix(base.MESSAGE % ('Fix more', 'Closes-Bug', 1),
                 note=NOTE + '  - It works well.\n', content='FIRST = 3\n')
        status, out, _ = self.series('lint')
        self.assertEqual(1, status)
        self.assertIn('nova/demo: 2 patches have the I000', out)
        self.assertIn('0002-Fix-more.patch: same Change-Id as nova/demo/0001-'
                      'Fix-it.patch, and another subject', out)

    def test_other_branch(self):
        self.fix()
        other = dict(self.demo.entry)
        self.demo.write({base.TARGET: self.demo.entry, 'nova/other': other})
        path, = self.demo.patches
        folder = self.demo.root / 'patches' / 'nova' / 'other'
        folder.mkdir()
        (folder / path.name).write_text(path.read_text())
        self.assertWorks('lint')
        (folder / path.name).write_text(path.read_text().replace(
            'Change-Id: I000', 'Change-Id: I111'))
        self.assertFinding('nova/other/0001-Fix-it.patch: same subject as '
                           'nova/demo/0001-Fix-it.patch, and another')

    def ship(self, content):
        identity.FILES['nova']['nova_ext/virt.py'] = 'nova/virt.py'
        (self.demo.root / 'nova_ext').mkdir()
        (self.demo.root / 'nova_ext' / 'virt.py').write_text(content)

    def test_identity(self):
        self.fix(content=OURS)
        self.ship(OURS)
        self.assertWorks('lint')

    def test_no_identity(self):
        self.fix(content=OURS)
        self.ship(OURS + '\n')
        self.assertFinding('virt.py differ')

    def test_nothing_to_be_identical_with(self):
        self.fix()
        self.ship(OURS)
        identity.FILES['nova']['nova_ext/virt.py'] = 'nova/none.py'
        self.assertFinding('nova/none.py does not exist')


class TestPatch(base.TestCase):

    def test_read(self):
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        subject = 'A subject that is so long that git has to fold its line'
        self.demo.commit(subject + ' \N{EURO SIGN}', nova__virt='--- x\n')
        self.assertWorks('refresh', base.TARGET)
        patch = patches.read(self.demo.patches[0])
        self.assertEqual(subject + ' \N{EURO SIGN}', patch.subject)
        self.assertEqual(['I%040x' % 1], patch.values('change-id'))
        self.assertEqual(['nova/virt.py'], patch.files)
        self.assertEqual([('nova/virt.py', '--- x')], patch.added)
        self.assertEqual('', git.check(self.demo.tree.path, 'status',
                                       '--porcelain'))
