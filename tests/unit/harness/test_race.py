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

import json

import fixtures
from oslotest import base as oslotest_base

from harness import declared
from harness import race
from tests.unit.harness import base


class TestRaceMixin(base.TestCase):

    def run_race(self, observed, arm='released'):
        found = declared.Declared('nova/one', arm, {'a-b': 'leak'})

        class Race(race.RaceMixin, oslotest_base.BaseTestCase):
            race = 'a-b'
            title = 'a(A) with b(B)'

            def test(self):
                self.conclude(observed, 'x=1', 'the story')

        self.useFixture(fixtures.MockPatchObject(
            declared.Declared, 'from_environ', return_value=found))
        result = _Details()
        Race('test').run(result)
        return result

    def test_declared_failure_passes(self):
        result = self.run_race('leak')

        self.assertEqual(['success'], result.outcomes)

    def test_other_failure_fails(self):
        result = self.run_race('yank')

        self.assertEqual(['failure'], result.outcomes)
        self.assertIn('a(A) with b(B) on nova/one, released arm: declared '
                      'leak, observed yank\nthe story', result.text)

    def test_release_that_holds_fails_where_a_leak_is_declared(self):
        self.assertEqual(['failure'], self.run_race('holds').outcomes)

    def test_patched_arm_must_hold(self):
        self.assertEqual(['failure'],
                         self.run_race('leak', 'patched').outcomes)
        self.assertEqual(['success'],
                         self.run_race('holds', 'patched').outcomes)

    def test_report_is_a_detail_of_each_result(self):
        for observed in ('leak', 'yank'):
            report = self.run_race(observed).details['race']

            self.assertEqual('application/json', str(report.content_type))
            self.assertEqual(
                {'race': 'a-b', 'title': 'a(A) with b(B)', 'variant': 'x=1',
                 'observed': observed, 'declared': 'leak'},
                json.loads(b''.join(report.iter_bytes()).decode('utf-8')))


class _Details:
    """A test result that keeps what it is told."""

    def __init__(self):
        self.outcomes = []
        self.details = None
        self.text = ''

    def startTest(self, test):
        pass

    stopTest = startTest

    def addSuccess(self, test, details=None):
        self._add('success', details)

    def addFailure(self, test, err=None, details=None):
        self._add('failure', details)

    def addError(self, test, err=None, details=None):
        self._add('error', details)

    def _add(self, outcome, details):
        self.outcomes.append(outcome)
        self.details = details
        if 'traceback' in details:
            self.text = details['traceback'].as_text()
