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
import pathlib

import fixtures
import testtools

from series import errors
from series import results
from series import stream
from tests.unit.series import recorded

DECLARED = {
    'delete-delete': {None: 'leak'},
    'attach-delete': {'shared_targets=True': 'yank',
                      'shared_targets=False': 'holds'},
}


def as_declared():
    return (recorded.Recording()
            .race('delete-delete', 'leak', variant='shared_targets=True')
            .race('delete-delete', 'leak', variant='shared_targets=False')
            .race('attach-delete', 'yank', variant='shared_targets=True')
            .race('attach-delete', 'holds', variant='shared_targets=False'))


def holding():
    recording = recorded.Recording()
    for race in 'delete-delete', 'attach-delete':
        for value in 'True', 'False':
            recording.race(race, 'holds', 'holds', 'shared_targets=' + value)
    return recording


def cell(*recordings, arm='released'):
    made = results.Cell('nova/demo', 'eventlet', arm)
    for recording in recordings:
        reader = stream.Reader()
        reader.read(io.BytesIO(recording.bytes))
        made.runs.append(reader.close())
    return made


class TestJudge(testtools.TestCase):

    def assertProblems(self, expected, judged, **kwargs):
        found = [what for _, what in results.judge(judged, DECLARED,
                                                   **kwargs)]
        self.assertEqual(len(expected), len(found), found)
        for words, what in zip(expected, found):
            self.assertIn(words, what)

    def test_as_declared(self):
        self.assertProblems([], cell(as_declared()))

    def test_patched(self):
        self.assertProblems([], cell(holding(), arm='patched'))

    def test_patched_leaks(self):
        self.assertProblems(
            ['attach-delete shared_targets=True: yank, declared holds',
             'delete-delete shared_targets=False: leak, declared holds',
             'delete-delete shared_targets=True: leak, declared holds'],
            cell_sorted(as_declared(), arm='patched'))

    def test_released_holds(self):
        # Although the test itself passed.
        self.assertProblems(
            ['delete-delete shared_targets=None: holds, declared leak'],
            cell(as_declared().race('delete-delete', 'holds', 'holds',
                                    'shared_targets=None')))

    def test_undeclared_race(self):
        for arm, recording in (('released', as_declared()),
                               ('patched', holding())):
            self.assertProblems(
                ['offload-delete: holds, and the race is not declared'],
                cell(recording.race('offload-delete', 'holds', 'holds'),
                     arm=arm))

    def test_undeclared_variant(self):
        self.assertProblems(
            ['attach-delete shared_targets=None: holds, and the race is not '
             'declared'],
            cell(as_declared().race('attach-delete', 'holds', 'holds',
                                    'shared_targets=None')))

    def test_nothing_declared(self):
        judged = cell(as_declared())
        self.assertEqual(4, len(results.judge(judged, {})))

    def test_race_without_test(self):
        recording = recorded.Recording().race(
            'attach-delete', 'yank', variant='shared_targets=True')
        expected = [
            'race delete-delete is declared and no test reported it',
            'race attach-delete shared_targets=False is declared and no']
        self.assertProblems(expected, cell(recording))
        self.assertProblems([], cell(recording), partial=True)

    def test_failed_test(self):
        self.assertProblems(
            ['attach-delete shared_targets=None: yank, declared holds'],
            cell(as_declared().race('attach-delete', 'yank', 'holds',
                                    'shared_targets=None', status='fail')))

    def test_failed_before_its_report(self):
        self.assertProblems(
            ['a: failed'], cell(as_declared().begin('a').end('a', 'fail')))

    def test_skipped(self):
        self.assertProblems(
            ['a: skipped'], cell(as_declared().begin('a').end('a', 'skip')))

    def test_unfinished(self):
        self.assertProblems(
            ['a: begun or announced'], cell(as_declared().exists('a')))

    def test_no_test(self):
        self.assertProblems(['no test was run'],
                            cell(recorded.Recording()))
        self.assertProblems(['no test was run'],
                            cell(recorded.Recording()), partial=True)

    def test_trouble(self):
        judged = cell(as_declared())
        judged.trouble.append('stestr ended with status 1')
        self.assertProblems(['stestr ended with status 1'], judged)

    def test_one_bad_repetition(self):
        bad = recorded.Recording().race('delete-delete', 'holds')
        self.assertEqual(
            {'nova/demo [released]: delete-delete: holds, declared leak',
             'nova/demo [released]: race attach-delete shared_targets=True '
             'is declared and no test reported it',
             'nova/demo [released]: race attach-delete shared_targets=False '
             'is declared and no test reported it'},
            {what for _, what in results.judge(
                cell(as_declared(), bad), DECLARED)})


def cell_sorted(*recordings, arm):
    made = cell(*recordings, arm=arm)
    for run in made.runs:
        run.sort(key=lambda result: result.test)
    return made


class TestDifferences(testtools.TestCase):

    def test_none(self):
        self.assertEqual([], results.differences(
            cell(as_declared(), as_declared(), as_declared())))

    def test_seconds_do_not_count(self):
        self.assertEqual([], results.differences(
            cell(recorded.Recording().race('a', 'leak', seconds=1.0),
                 recorded.Recording().race('a', 'leak', seconds=2.0))))

    def test_other_outcome(self):
        line, = results.differences(
            cell(recorded.Recording().race('a', 'leak'),
                 recorded.Recording().race('a', 'yank')))
        self.assertIn('a.test: leak, yank', line)

    def test_other_status(self):
        line, = results.differences(
            cell(recorded.Recording().race('a', 'leak'),
                 recorded.Recording().race('a', 'leak', status='fail')))
        self.assertIn('a.test: leak, leak', line)

    def test_missing(self):
        line, = results.differences(
            cell(recorded.Recording().race('a', 'leak'),
                 recorded.Recording()))
        self.assertIn('a.test: leak, not run', line)


class TestFiles(testtools.TestCase):

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.useFixture(
            fixtures.TempDir()).path) / 'results'

    def load(self):
        class Target:
            name = 'nova/demo'
            concurrency = ('eventlet',)

        return results.load(self.folder, [Target])

    def test_round_trip(self):
        cells = [cell(as_declared()), cell(holding(), arm='patched')]
        for each in cells:
            results.save(self.folder, each)
        self.assertEqual(cells, self.load())
        self.assertEqual(2, len(list(self.folder.iterdir())))

    def test_nothing(self):
        self.assertEqual([], self.load())

    def test_damaged(self):
        results.save(self.folder, cell(as_declared()))
        path, = self.folder.iterdir()
        path.write_text(path.read_text()[:-9])
        error = self.assertRaises(errors.SeriesError, self.load)
        self.assertIn('is damaged', str(error))
