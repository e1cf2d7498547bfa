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

"""Results of the functional tests, and whether they are as declared."""

import dataclasses
import json
import os
import tempfile

from series import errors
from series import stream

#: What a test runs on.
ARMS = ('released', 'patched')


@dataclasses.dataclass
class Cell:
    """The tests of one target on one arm.

    :ivar target: name of the target
    :ivar mode: how the services run their threads
    :ivar arm: one of ``ARMS``
    :ivar runs: one list of :class:`series.stream.Result` for each time that
        the tests were run
    :ivar trouble: what went wrong outside of any test, list of lines
    """

    target: str
    mode: str
    arm: str
    runs: list = dataclasses.field(default_factory=list)
    trouble: list = dataclasses.field(default_factory=list)

    @property
    def column(self):
        """What the target is called in a matrix."""
        return self.target if self.mode == 'eventlet' else '%s (%s)' % (
            self.target, self.mode)

    @property
    def results(self):
        """The results of all runs."""
        return [result for run in self.runs for result in run]


def expected(released, arm, race, variant):
    """What a race should come to.

    :param released: the target's declarations
    :param arm: one of ``ARMS``
    :param race: name of the race
    :param variant: its variant
    :returns: an outcome, or None if it is not declared
    """
    outcomes = released.get(race, {})
    if variant not in outcomes and None not in outcomes:
        return None
    if arm != 'released':
        return 'holds'
    return outcomes.get(variant, outcomes.get(None))


def judge(cell, released, partial=False):
    """Compare a cell with what its target declares.

    :param cell: a :class:`Cell`
    :param released: the target's declarations
    :param partial: whether only some of the tests were to be run
    :returns: list of ``(test id or None, what is wrong)``
    """
    problems = [(None, line) for line in cell.trouble]
    for results in cell.runs:
        seen = set()
        for result in results:
            race = result.race
            if race:
                seen.add((race['race'], race['variant']))
            wrong = _wrong(result, released, cell.arm)
            if wrong:
                problems.append((result.test, wrong))
        if not results:
            problems.append((None, 'no test was run'))
        elif not partial:
            problems += [
                (None, 'race %s is declared and no test reported it' %
                 describe(race, variant))
                for race, outcomes in released.items()
                for variant in outcomes
                if not _reported(seen, race, variant)]
    return [(test, '%s [%s]: %s' % (cell.column, cell.arm, what))
            for test, what in dict.fromkeys(problems)]


def differences(cell):
    """What differs between a cell's runs.

    :param cell: a :class:`Cell`
    :returns: list of lines, empty if all runs had the same outcomes
    """
    runs = [{result.test: (result.status, result.observed)
             for result in results} for results in cell.runs]
    lines = []
    for test in sorted({test for run in runs for test in run}):
        outcomes = [run.get(test, ('', 'not run')) for run in runs]
        if len(set(outcomes)) > 1:
            lines.append('%s [%s]: %s: %s' % (
                cell.column, cell.arm, test,
                ', '.join(observed for _, observed in outcomes)))
    return lines


def describe(race, variant):
    """A race and its variant in words.

    :param race: name of the race
    :param variant: its variant, may be empty or None
    :returns: e.g. ``delete-delete shared_targets=True``
    """
    return ' '.join(filter(None, [race, variant]))


def save(folder, cell):
    """Keep a cell's results.

    :param folder: folder of the results, a ``pathlib.Path``
    :param cell: a :class:`Cell`
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
            'w', dir=folder, prefix='.', delete=False) as stream_:
        json.dump(dataclasses.asdict(cell), stream_, indent=1)
    os.replace(stream_.name, _path(folder, cell.target, cell.mode, cell.arm))


def load(folder, targets):
    """Read the last results.

    :param folder: folder of the results, a ``pathlib.Path``
    :param targets: list of :class:`series.targets.Target`
    :returns: list of :class:`Cell`
    :raises SeriesError: if a file is damaged
    """
    cells = []
    for target in targets:
        for mode in target.concurrency:
            for arm in ARMS:
                path = _path(folder, target.name, mode, arm)
                if path.exists():
                    cells.append(_read(path))
    return cells


def _read(path):
    try:
        content = json.loads(path.read_text())
        content['runs'] = [[stream.Result(**result) for result in run]
                           for run in content['runs']]
        return Cell(**content)
    except (OSError, ValueError, TypeError, KeyError):
        raise errors.SeriesError(
            '%s is damaged: remove it and run "series functional"' % path)


def _path(folder, target, mode, arm):
    return folder / ('%s-%s-%s.json' % (
        target.replace('/', '-'), mode, arm))


def _reported(seen, race, variant):
    if variant is None:
        return any(name == race for name, _ in seen)
    return (race, variant) in seen


def _wrong(result, released, arm):
    """What is wrong with one result, or None."""
    if not result.passed:
        if result.race and result.status == 'fail':
            return '%s: %s, declared %s' % (
                describe(result.race['race'], result.race['variant']),
                result.race['observed'], result.race['declared'])
        return '%s: %s' % (result.test, {
            'fail': 'failed', 'skip': 'skipped, which no test may be',
            stream.UNFINISHED: 'begun or announced, and never ended',
        }.get(result.status, result.status))
    if not result.race:
        return None
    name = describe(result.race['race'], result.race['variant'])
    outcome = expected(released, arm, result.race['race'],
                       result.race['variant'])
    if outcome is None:
        return '%s: %s, and the race is not declared' % (
            name, result.observed)
    if outcome != result.observed:
        return '%s: %s, declared %s' % (name, result.observed, outcome)
    return None
