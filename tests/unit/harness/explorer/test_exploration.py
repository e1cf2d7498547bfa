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

import collections

from oslo_concurrency import lockutils

from harness.explorer import counterexample
from harness.explorer import exploration
from harness.explorer import scheduler
from harness.explorer import schedules
from harness.explorer import threads
from harness import gates
from harness import locks
from tests.unit.harness import base


class World:
    """A counter that tasks increment, and a way to run tasks."""

    def __init__(self, test):
        self.gates = test.useFixture(gates.Gates())
        self.locks = test.useFixture(locks.LockWatch(self.gates))
        self.operations = collections.OrderedDict()
        self.value = 0
        self.ran = []

    def add(self, name, function):
        self.operations[name] = function

    def read_and_write(self):
        self.gates.reach('read')
        value = self.value
        self.gates.reach('write')
        self.value = value + 1

    def locked(self, name, function=lambda: None):
        with lockutils.lock(name):
            self.gates.reach('inside', lock=name)
            function()

    def run(self, choose):
        self.value = 0
        self.ran.append(1)
        tasks = threads.Threads(self.gates)
        run = scheduler.Scheduler(self.gates, self.locks, tasks).run(
            self.operations, choose)
        if self.value != len(self.operations) and not run.violations:
            run.violations.append('lost: %d' % self.value)
        return run


class TestExploration(base.TestCase):

    def setUp(self):
        super().setUp()
        self.world = World(self)

    def add_increments(self, *names):
        for name in names:
            self.world.add(name, self.world.read_and_write)

    def schedules(self, exhaustive, keep_going=True):
        seen = []
        exploration.explore(
            lambda choose: seen.append(self.world.run(choose)) or seen[-1],
            exhaustive, keep_going=keep_going)
        return seen

    def test_no_preemption_is_one_after_the_other(self):
        self.add_increments('A', 'B')
        runs = self.schedules(schedules.Exhaustive(0))
        self.assertEqual(
            ['A:3, B:3', 'B:3, A:3'],
            [counterexample.turns(run.steps) for run in runs])
        self.assertEqual([[], []], [run.violations for run in runs])

    def test_each_schedule_once(self):
        self.add_increments('A', 'B')
        for preemptions, count in ((1, 2 + 4), (9, 20)):
            runs = self.schedules(schedules.Exhaustive(preemptions))
            chosen = {tuple(step.chosen for step in run.steps)
                      for run in runs}
            self.assertEqual(len(chosen), len(runs))
            # Two tasks of three steps can be merged in 20 ways.
            self.assertEqual(count, len(runs))
            self.assertTrue(
                all(run.preemptions <= preemptions for run in runs))

    def test_three_tasks(self):
        self.add_increments('A', 'B', 'C')
        runs = self.schedules(schedules.Exhaustive(0))
        self.assertEqual(6, len(runs))
        # One preemption: the rest of one task comes after both others, or
        # between them, or another one is stopped.
        runs = self.schedules(schedules.Exhaustive(1))
        self.assertEqual({0, 1}, {run.preemptions for run in runs})
        self.assertIn('A:2, B:3, C:3, A:3', {
            counterexample.turns(run.steps) for run in runs})

    def test_finds_lost_update_with_fewest_preemptions(self):
        self.add_increments('A', 'B')
        result = exploration.explore(self.world.run, schedules.Exhaustive(5))
        failed = result.failures[0]
        self.assertEqual(['lost: 1'], failed.violations)
        self.assertEqual(1, failed.preemptions)
        self.assertEqual('A', failed.steps[0].chosen.task)

    def test_failure_is_the_same_each_time(self):
        self.add_increments('A', 'B')
        failed = exploration.explore(
            self.world.run, schedules.Exhaustive(5)).failures[0]
        failure = exploration.confirm(self.world.run, failed, 5)
        self.assertEqual((5, 5), (failure.reproduced, failure.replays))

    def test_random_finds_it_and_is_shortened(self):
        self.add_increments('A', 'B', 'C')
        result = exploration.explore(
            self.world.run, schedules.Random(100, seed=7))
        shortest = exploration.shorten(self.world.run, result.failures[0])
        self.assertEqual(1, shortest.preemptions)
        self.assertTrue(shortest.violations)

    def test_random_is_the_same_for_the_same_seed(self):
        self.add_increments('A', 'B', 'C')
        turns = [[counterexample.turns(run.steps) for run in self.schedules(
            schedules.Random(10, seed=seed))] for seed in (3, 3, 4)]
        self.assertEqual(turns[0], turns[1])
        self.assertNotEqual(turns[0], turns[2])

    def test_waits_for_lock(self):
        for name in 'AB':
            self.world.add(name, lambda: self.world.locked(
                'lock', self.world.read_and_write))
        runs = self.schedules(schedules.Exhaustive(9))
        self.assertEqual({()}, {tuple(run.violations) for run in runs})
        # While one is inside the other cannot be chosen.
        for run in runs:
            for step in run.steps:
                if step.chosen.at in ('read()', 'write()'):
                    self.assertNotIn(
                        'lock(lock)', [option.at for option in step.options])

    def test_switch_at_lock_costs_nothing(self):
        for name in 'AB':
            self.world.add(name, lambda: self.world.locked(
                'lock', self.world.read_and_write))
        preemptions = {counterexample.turns(run.steps): run.preemptions
                       for run in self.schedules(schedules.Exhaustive(1))}
        # A is stopped inside; B comes to the lock and has to wait.
        self.assertEqual(1, preemptions['A:2, B:1, A:5, B:5'])

    def test_deadlock(self):
        self.world.add('A', lambda: self.world.locked(
            'first', lambda: self.world.locked('second')))
        self.world.add('B', lambda: self.world.locked(
            'second', lambda: self.world.locked('first')))
        self.world.value = 2
        runs = self.schedules(schedules.Exhaustive(2))
        deadlocks = {violation for run in runs for violation in run.violations
                     if violation.startswith('deadlock')}
        self.assertEqual(
            {'deadlock: B waits at lock(first), which A holds; '
             'A waits at lock(second), which B holds'}, deadlocks)
        # All threads have ended and all locks are free.
        self.assertEqual({}, self.world.locks.owners)

    def test_nondeterminism_is_an_error(self):
        def differs():
            self.world.gates.reach('run %d' % len(self.world.ran))

        self.world.add('A', differs)
        self.world.add('B', differs)
        error = self.assertRaises(
            schedules.Nondeterminism, exploration.explore, self.world.run,
            schedules.Exhaustive(2), keep_going=True)
        self.assertIn('is not what it was', str(error))

    def test_error_of_a_task(self):
        def fail():
            raise ValueError('x')

        self.world.add('A', fail)
        run = self.world.run(schedules.go_on)
        self.assertIsInstance(run.errors['A'], ValueError)

    def test_others_pass_freely(self):
        outsider = self.thread(self.world.gates.reach, 'read')
        self.add_increments('A')
        self.world.run(schedules.go_on)
        outsider.finish()

    def test_points_where_nothing_stops(self):
        self.add_increments('A')
        tasks = threads.Threads(self.world.gates)
        run = scheduler.Scheduler(
            self.world.gates, self.world.locks, tasks,
            is_point=lambda point, where: point == 'write').run(
                self.world.operations, schedules.go_on)
        self.assertEqual(['start', 'write()'],
                         [step.chosen.at for step in run.steps])

    def test_checks_each_step(self):
        self.add_increments('A')
        values = []
        scheduler.Scheduler(
            self.world.gates, self.world.locks,
            threads.Threads(self.world.gates),
            check=lambda: values.append(self.world.value) or []).run(
                self.world.operations, schedules.go_on)
        self.assertEqual([0, 0, 0, 1], values)


class TestCounterexample(base.TestCase):

    def setUp(self):
        super().setUp()
        world = World(self)
        for name in 'AB':
            world.add(name, world.read_and_write)
        self.run_ = exploration.explore(
            world.run, schedules.Exhaustive(1)).failures[0]
        self.example = counterexample.Counterexample(
            'nova/demo', 'released', 'eventlet', ['A', 'B'],
            {'shared_targets': False}, self.run_.steps, ['lost: 1'])

    def test_reads_what_it_wrote(self):
        self.assertEqual(
            self.example,
            counterexample.load(counterexample.dump(self.example)))

    def test_story(self):
        self.assertEqual("""\
     A goes
  1    start
  2    read()
     -- A is stopped at write()
     B goes
  3    start
  4    read()
  5    write()
     A goes
  6    write()""", counterexample.story(self.example.steps))

    def test_unreadable(self):
        text = counterexample.dump(self.example)
        for bad in ('{', '[]', '{}', text.replace('"steps"', '"stairs"'),
                    text.replace('"at"', '"to"'),
                    text.replace('"format": 1', '"format": 2')):
            self.assertRaises(
                counterexample.Unreadable, counterexample.load, bad)


class TestSegments(base.TestCase):

    def test_turns_that_cannot_be_taken_are_skipped(self):
        choose = schedules.Segments([('A', 1), ('C', 1), ('B', 1)])
        a, b = scheduler.Option('A', 'x'), scheduler.Option('B', 'x')
        self.assertEqual(a, choose((a, b), None))
        self.assertEqual(b, choose((a, b), 'A'))
        self.assertEqual(b, choose((a, b), 'B'))
        self.assertEqual(a, choose((a,), 'B'))
