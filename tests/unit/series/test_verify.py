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

import pathlib

import fixtures
import testtools

from series import environment
from series import verification
from tests.unit.series import base
from tests.unit.series import recorded

# Stands in for the target's interpreter: imports as many modules as it is
# told to, and plays the stream that was recorded for a test module of a
# commit, which is told from the content of nova/virt.py.
_PLAYER = """#!/bin/sh
if [ "$1" = -c ]; then
    grep -q broken nova/*.py && echo 'ImportError: broken' >&2 && exit 1
    exit 0
fi
cat '%(folder)s'/$(head -n 1 nova/virt.py)
"""

TEST = 'nova.tests.unit.test_virt.TestVirt.'


class TestVerify(base.TestCase):

    def setUp(self):
        super().setUp()
        files = dict(base.FILES)
        files['nova/virt.py'] = 'zero\n'
        files['nova/tests/unit/test_virt.py'] = ''
        base.make_sdist(self.demo.sdist, files)
        self.demo.entry['sdist_sha256'] = verification.tree.sdist.digest(
            self.demo.sdist)
        self.demo.write()
        self.demo.fetched()
        self.assertWorks('fetch', base.TARGET)
        self.folder = self.demo.root.parent
        made = environment.Environment(self.demo.workspace, self.demo.target)
        made.python.parent.mkdir(parents=True)
        made.python.write_text(_PLAYER % {'folder': self.folder})
        made.python.chmod(0o755)
        (made.path / 'stamp').write_text(made._stamp())

    def record(self, name, **tests):
        recording = recorded.Recording()
        for test, status in tests.items():
            recording.begin(TEST + test).end(TEST + test, status)
        (self.folder / name).write_bytes(recording.bytes)

    def commit(self, *names):
        for number, name in enumerate(names, 1):
            self.demo.commit('Make it ' + name, number=number,
                             nova__virt=name + '\n',
                             nova__tests__unit__test_virt='# %s\n' % name)
        self.assertWorks('refresh', base.TARGET)

    def assertProblem(self, words):
        status, out, err = self.series('verify')
        self.assertEqual(1, status, out + err)
        self.assertIn('PROBLEM: nova/demo: ' + words, out)

    def test_in_order(self):
        self.record('zero', one='success', two='fail')
        self.record('first', one='success', two='fail', three='xfail')
        self.record('second', one='success', two='success', four='skip')
        self.commit('first', 'second')
        out = self.assertWorks('verify', base.TARGET)
        self.assertIn('nova/demo: unit tests: 1 passed and 1 failed on the '
                      'base, 3 and 0 on the top', out)
        self.assertIn('verify: in order', out)

    def test_no_series(self):
        self.assertIn('nova/demo: no series yet', self.assertWorks('verify'))

    def test_fails_in_between(self):
        self.record('zero', one='success')
        self.record('first', one='fail')
        self.record('second', one='success')
        self.commit('first', 'second')
        self.assertProblem('commit 1/2 (Make it first): %sone: fail' % TEST)

    def test_fails_on_top(self):
        self.record('zero', one='success')
        self.record('first', one='success')
        self.record('second', one='success', new='fail')
        self.commit('first', 'second')
        self.assertProblem('top: %snew: fail' % TEST)

    def test_dies(self):
        self.record('zero', one='success')
        (self.folder / 'first').write_bytes(
            recorded.Recording().begin(TEST + 'one').bytes)
        self.commit('first')
        self.assertProblem('top: %sone: unfinished' % TEST)

    def test_no_tests_run(self):
        self.record('zero', one='success')
        (self.folder / 'first').write_bytes(b'')
        self.commit('first')
        self.assertProblem('top: nova.tests.unit.discovery: fail')

    def test_import(self):
        self.record('zero', one='success')
        self.record('broken', one='success')
        self.commit('broken')
        self.assertProblem('commit 1/1 (Make it broken): ImportError: broken')


class TestNames(testtools.TestCase):

    def test_module_name(self):
        self.assertEqual('nova.virt.block_device',
                         verification.module_name('nova/virt/block_device.py'))
        self.assertEqual('nova.virt',
                         verification.module_name('nova/virt/__init__.py'))

    def test_is_test(self):
        self.assertTrue(verification.is_test('nova/tests/unit/test_a.py'))
        self.assertTrue(verification.is_test(
            'nova/tests/functional/regressions/test_bug_1.py'))
        self.assertFalse(verification.is_test('nova/tests/unit/fake.py'))
        self.assertFalse(verification.is_test('nova/test_a.py'))

    def test_unit_tests(self):
        folder = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        unit = folder / 'cinder' / 'tests' / 'unit'
        for name in ('db/test_a.py', 'db/fake.py', 'test_db_api.py',
                     'attachments/test_b.py', 'test_quota.py',
                     'test_other.py'):
            (unit / name).parent.mkdir(parents=True, exist_ok=True)
            (unit / name).write_text('')
        self.assertEqual(
            ['cinder/tests/unit/' + name for name in (
                'attachments/test_b.py', 'db/test_a.py', 'test_db_api.py',
                'test_quota.py')],
            verification.unit_tests(folder, 'cinder', [
                'cinder/quota.py', 'cinder/db/sqlalchemy/api.py',
                'cinder/tests/unit/db/test_a.py',
                'cinder/tests/functional/test_c.py',
                'cinder/tests/unit/fake.py']))
