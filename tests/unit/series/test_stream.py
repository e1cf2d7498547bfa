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

import io

import testtools

from series import stream
from tests.unit.series import recorded


class TestReader(testtools.TestCase):

    def read(self, recording, finished=lambda result: None):
        reader = stream.Reader(finished)
        reader.read(io.BytesIO(recording.bytes))
        return reader.close()

    def test_race(self):
        result, = self.read(recorded.Recording().race(
            'delete-delete', 'leak', variant='shared_targets=True'))
        self.assertEqual('success', result.status)
        self.assertEqual(4.0, result.seconds)
        self.assertEqual({
            'race': 'delete-delete', 'title': 'delete(A) with delete(B)',
            'variant': 'shared_targets=True', 'observed': 'leak',
            'declared': 'leak'}, result.race)
        self.assertEqual({}, result.details)

    def test_failure(self):
        result, = self.read(recorded.Recording().race(
            'delete-delete', 'yank', status='fail'))
        self.assertFalse(result.passed)
        self.assertEqual('yank', result.observed)
        self.assertEqual({'traceback': 'Traceback: it went wrong'},
                         result.details)

    def test_live(self):
        seen = []
        recording = recorded.Recording().exists('a', 'b').begin('a').end('a')
        self.read(recording, seen.append)
        self.assertEqual([('a', 'success'), ('b', 'unfinished')],
                         [(result.test, result.status) for result in seen])

    def test_died_in_a_test(self):
        result, = self.read(recorded.Recording().begin('a'))
        self.assertEqual(stream.UNFINISHED, result.status)
        self.assertFalse(result.passed)

    def test_worker_that_failed_as_its_test_did(self):
        results = self.read(
            recorded.Recording().begin('a').end('a', 'fail').end(
                'process-returncode', 'fail'))
        self.assertEqual(['a'], [result.test for result in results])

    def test_worker_that_failed_alone(self):
        results = self.read(
            recorded.Recording().begin('a').end('a').end(
                'process-returncode', 'fail'))
        self.assertEqual(['a', 'process-returncode'],
                         [result.test for result in results])

    def test_damaged_report(self):
        result, = self.read(recorded.Recording().begin('a').attach(
            'a', 'race', '{"race": ').end('a'))
        self.assertIsNone(result.race)

    def test_noise(self):
        reader = stream.Reader()
        reader.read(io.BytesIO(b'No tests to run.\n'))
        self.assertEqual('No tests to run.\n', reader.noise)
        self.assertEqual([], reader.close())
