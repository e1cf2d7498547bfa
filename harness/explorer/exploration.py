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

"""Runs schedules until all are done, and makes what fails short."""

import collections
import time

from harness.explorer import schedules

#: How often a failure is run again.
REPLAYS = 3

Failure = collections.namedtuple('Failure', 'run reproduced replays')


class Exploration:
    """What an exploration has come to so far.

    :ivar count: number of schedules run
    :ivar steps: number of their steps
    :ivar seconds: how long they took
    :ivar failures: list of :class:`Run <harness.explorer.scheduler.Run>`
        with violations
    """

    def __init__(self):
        self.count = 0
        self.steps = 0
        self.seconds = 0.0
        self.failures = []


def explore(run, strategy, report=lambda exploration: None, keep_going=False):
    """Run the schedules of a strategy.

    :param run: function of a chooser that puts the world in its first state,
        runs the operations in it and returns the
        :class:`harness.explorer.scheduler.Run`
    :param strategy: see :mod:`harness.explorer.schedules`
    :param report: called with the :class:`Exploration` after each schedule
    :param keep_going: whether to go on after the first failure
    :returns: the :class:`Exploration`
    :raises Nondeterminism: if the same choices lead to something else
    """
    result = Exploration()
    begin = time.monotonic()
    for choose in iter(strategy.next, None):
        done = run(choose)
        strategy.learn(done)
        result.count += 1
        result.steps += len(done.steps)
        result.seconds = time.monotonic() - begin
        if done.violations:
            result.failures.append(done)
        report(result)
        if done.violations and not keep_going:
            break
    return result


def shorten(run, failed):
    """Leave out the turns of a schedule that its failure does not need.

    :param run: as for :func:`explore`
    :param failed: the :class:`Run <harness.explorer.scheduler.Run>`
    :returns: a Run that fails too and cannot lose any one turn, with as many
        preemptions as the first or fewer
    """
    number = 0
    while failed.preemptions:
        turns = schedules.segments(failed.steps)
        if number >= len(turns):
            break
        shorter = run(schedules.Segments(turns[:number] + turns[number + 1:]))
        if (shorter.violations and
                _length(shorter) < _length(failed)):
            failed, number = shorter, 0
        else:
            number += 1
    return failed


def confirm(run, failed, replays=REPLAYS):
    """Run a failed schedule again.

    :param run: as for :func:`explore`
    :param failed: the :class:`Run <harness.explorer.scheduler.Run>`
    :param replays: how often
    :returns: a :class:`Failure` with the number of runs that had the same
        steps and the same violations
    :raises Nondeterminism: if there are other options than before
    """
    same = 0
    for _ in range(replays):
        again = run(schedules.Replay(failed.steps))
        same += (again.steps == failed.steps and
                 again.violations == failed.violations)
    return Failure(failed, same, replays)


def _length(run):
    return run.preemptions, len(schedules.segments(run.steps))
