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
import textwrap

import ddt
import testtools

from series import mutations
from tests.unit.series import base

_ROOT = pathlib.Path(__file__).resolve().parents[3]

RULE = '=' * 70
TEST = 'tests.unit.nova_ext.test_it.TestIt.test_it'
CLEAN = 'Tests running...\n\nRan 1 test in 0.1s\nOK\n'
FAILED = 'F%s\nFAIL: %s\n%s\nMismatchError: leak: v\n\nFAILED\n' % (
    RULE, TEST, '-' * 70)


@ddt.ddt
class TestJudge(testtools.TestCase):

    def test_caught(self):
        self.assertIsNone(mutations.judge(TEST, 'leak: ', FAILED))

    @ddt.data(
        ('leak: ', CLEAN, 'survived'),
        ('yank: ', FAILED, 'failed, but does not say'),
        ('leak: ', FAILED.replace('FAIL:', 'ERROR:'), 'no failure'),
        ('leak: ', FAILED.replace('test_it\n', 'test_other\n'), 'no failure'),
        ('leak: ', 'No module named x', 'no failure'))
    @ddt.unpack
    def test_not_caught(self, words, output, expected):
        self.assertIn(expected, mutations.judge(TEST, words, output))

    def test_passed(self):
        self.assertTrue(mutations.passed(CLEAN))
        self.assertFalse(mutations.passed(FAILED))
        self.assertFalse(mutations.passed(CLEAN.replace('1 test', '0 tests')))


class TestMutate(base.TestCase):
    """The command, on a module of one line."""

    def setUp(self):
        super().setUp()
        self._write('nova_ext/host_connections.py', 'ANSWER = 42\n')
        self._write('tests/__init__.py', '')
        self._write('tests/unit/__init__.py', '')
        self._write('tests/unit/nova_ext/__init__.py', '')
        self._write('harness/__init__.py', '')
        self.write_test('self.assertEqual(42, host_connections.ANSWER)')
        self.patch('+ANSWER = 41\n')
        self.declare()

    def test_caught(self):
        out = self.assertWorks('mutate')
        self.assertIn('mutate: 1 of 1 caught', out)
        self.assertEqual('ANSWER = 42\n', (
            self.demo.root / 'nova_ext/host_connections.py').read_text())

    def test_survives(self):
        self.write_test('self.assertTrue(host_connections.ANSWER)')
        self.assertSurvives('survived')

    def test_wrong_reason(self):
        self.declare(words='yank')
        self.assertSurvives('failed, but does not say "yank"')

    def test_fails_anyway(self):
        self.write_test('self.assertEqual(41, host_connections.ANSWER)')
        self.assertSurvives('the test fails without the defect')

    def test_does_not_apply(self):
        self._write('nova_ext/host_connections.py', 'ANSWER = 42.0\n')
        self.assertSurvives('wrong.patch does not apply')

    def test_unknown_name(self):
        self.assertFails(['mutate', 'other'], 'other', 'wrong')

    def test_incomplete(self):
        self._write('mutations/mutations.yaml', 'wrong: {file: wrong.patch}\n')
        self.assertFails(['mutate'], 'names no unit test')
        self._write('mutations/mutations.yaml', 'wrong: {file: other.patch}\n')
        self.assertFails(['mutate'], 'other.patch')
        self._write('mutations/mutations.yaml', 'wrong: {fail: wrong.patch}\n')
        self.assertFails(['mutate'], 'the fields are')

    def assertSurvives(self, words):
        status, out, _ = self.series('mutate', '--unit')
        self.assertEqual(1, status)
        self.assertIn(words, out)
        self.assertIn('mutate: 0 of 1 caught', out)

    def write_test(self, line):
        self._write('tests/unit/nova_ext/test_it.py', textwrap.dedent("""\
            import unittest
            from nova_ext import host_connections
            class TestIt(unittest.TestCase):
                def test_it(self):
                    %s
            """) % line)

    def patch(self, line):
        self._write('mutations/wrong.patch', (
            '--- a/host_connections.py\n+++ b/host_connections.py\n'
            '@@ -1 +1 @@\n-ANSWER = 42\n' + line))

    def declare(self, words='42 != 41'):
        self._write('mutations/mutations.yaml', textwrap.dedent("""\
            wrong:
              file: wrong.patch
              breaks: the answer
              unit: {%s: '%s'}
            """) % (TEST, words))

    def _write(self, name, text):
        path = self.demo.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class TestOurs(base.TestCase):
    """The project's own mutations, on its unit tests."""

    def test_all_are_caught(self):
        self.demo.root = _ROOT
        out = self.assertWorks('mutate', '--unit')
        self.assertIn('mutate: 9 of 9 caught', out)
