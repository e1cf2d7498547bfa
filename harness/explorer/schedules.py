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

"""Which task goes next: all schedules, random ones, or a given one.

A *chooser* is what a scheduler calls at each step: a function of the options
and of the task that went last, None at first. A *strategy* makes a chooser
for each run and learns what the run came to:

* ``next()`` returns the chooser of the next run, None if there is none,
* ``learn(run)`` is told the :class:`harness.explorer.scheduler.Run`.
"""

import collections
import random

from harness.explorer import scheduler


class Nondeterminism(Exception):
    """The same choices led to something else than before.

    :param number: number of the step, from 1
    :param expected: the options that there were
    :param seen: the options that there are now
    """

    def __init__(self, number, expected, seen):
        super().__init__(
            'step %d is not what it was in an earlier run: then %s, now %s' % (
                number, _text(expected), _text(seen)))


def go_on(options, current):
    """Chooser: the task that went last goes on as long as it can."""
    return next((option for option in options if option.task == current),
                options[0])


class Replay:
    """Chooser: takes the steps of an earlier run, then what is cheapest.

    :param steps: list of :class:`harness.explorer.scheduler.Step`
    """

    def __init__(self, steps):
        self._steps = list(steps)
        self._number = 0

    def __call__(self, options, current):
        """Choose the option that was chosen before.

        :raises Nondeterminism: if the options are others than before
        """
        if self._number == len(self._steps):
            return go_on(options, current)
        step = self._steps[self._number]
        self._number += 1
        if tuple(options) != tuple(step.options):
            raise Nondeterminism(self._number, step.options, options)
        return step.chosen


class Once:
    """Strategy: one schedule that was run before.

    :param steps: list of :class:`harness.explorer.scheduler.Step`
    """

    def __init__(self, steps):
        self._left = [Replay(steps)]

    def next(self):
        return self._left.pop() if self._left else None

    def learn(self, run):
        pass


class Exhaustive:
    """Strategy: all schedules up to a number of preemptions, each once.

    Those with fewer preemptions come first, so that the first failure has
    as few as there can be. A switch when a task waits for a lock or is over
    costs nothing.

    No state is kept: a schedule is run from the start, by the steps of an
    earlier run up to the place where it takes another option.

    :param preemptions: the greatest number of preemptions
    """

    def __init__(self, preemptions):
        self._levels = [collections.deque() for _ in range(preemptions + 1)]
        self._levels[0].append(())
        self._prefix = ()

    def next(self):
        for level in self._levels:
            if level:
                self._prefix = level.popleft()
                return Replay(self._prefix)
        return None

    def learn(self, run):
        used = 0
        task = None
        for number, step in enumerate(run.steps):
            if number >= len(self._prefix):
                for option in step.options:
                    if option != step.chosen:
                        self._add(run.steps[:number], used, task,
                                  scheduler.Step(step.options, option))
            used += scheduler.is_preemption(task, step)
            task = step.chosen.task

    def _add(self, steps, used, task, step):
        level = used + scheduler.is_preemption(task, step)
        if level < len(self._levels):
            self._levels[level].append(tuple(steps) + (step,))


class Random:
    """Strategy: schedules by chance, the same ones for the same seed.

    Odd runs take any option at each step. Even runs (PCT: probabilistic
    concurrency testing) give each task a priority, let the highest go, and
    lower it to the lowest at some steps, which finds bugs that need few
    switches at the right places.

    :param count: how many schedules
    :param seed: number that the choices come from
    :param changes: how often an even run lowers a priority
    """

    def __init__(self, count, seed, changes=3):
        self._left = count
        self._random = random.Random(seed)
        self._changes = changes
        self._length = 1

    def next(self):
        if not self._left:
            return None
        self._left -= 1
        if self._left % 2:
            return lambda options, current: self._random.choice(options)
        return self._by_priority()

    def learn(self, run):
        self._length = max(self._length, len(run.steps))

    def _by_priority(self):
        changes = {self._random.randrange(self._length)
                   for _ in range(self._changes)}
        priorities = {}
        number = [0]

        def choose(options, current):
            for option in options:
                if option.task not in priorities:
                    priorities[option.task] = 1 + self._random.random()
            if number[0] in changes and current is not None:
                priorities[current] = -number[0]
            number[0] += 1
            return max(options, key=lambda option: priorities[option.task])

        return choose


class Segments:
    """Chooser: tasks take turns after given numbers of steps of their own.

    Other than :class:`Replay` it can follow a plan that was changed: a turn
    that cannot be taken is skipped.

    :param segments: list of (task, number of steps that the task has done
        when its turn is over)
    """

    def __init__(self, segments):
        self._segments = collections.deque(segments)
        self._done = collections.Counter()

    def __call__(self, options, current):
        tasks = {option.task for option in options}
        while self._segments:
            task, until = self._segments[0]
            if task in tasks and self._done[task] < until:
                current = task
                break
            self._segments.popleft()
        option = go_on(options, current)
        self._done[option.task] += 1
        return option


def segments(steps):
    """Divide a schedule into turns.

    :param steps: list of :class:`harness.explorer.scheduler.Step`
    :returns: list of (task, number of steps that the task has done then),
        see :class:`Segments`
    """
    turns = []
    done = collections.Counter()
    for step in steps:
        task = step.chosen.task
        done[task] += 1
        if turns and turns[-1][0] == task:
            turns.pop()
        turns.append((task, done[task]))
    return turns


def _text(options):
    return ', '.join('%s at %s' % option for option in options) or 'nothing'
