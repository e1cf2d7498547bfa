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

import contextlib
import copy

import ddt
from oslo_concurrency import lockutils

from harness import gates
from harness import locks
from tests.unit.harness import base

FAIR_LOCKS = lockutils.FairLocks()


def plain_lock():
    return lockutils.lock('lock')


def fair_lock():
    return lockutils.lock('lock', fair=True)


@contextlib.contextmanager
def lock_of_own_container():
    # As nova.utils.FairLockGuard of Nova 33.0.0 does it.
    lock = FAIR_LOCKS.get('lock')
    lock.acquire_write_lock()
    try:
        yield
    finally:
        if lock.is_writer():
            lock.release_write_lock()


@ddt.ddt
class TestLockWatch(base.TestCase):

    def setUp(self):
        super().setUp()
        self.gates = self.useFixture(gates.Gates())
        self.watch = self.useFixture(locks.LockWatch(self.gates))

    @ddt.data(plain_lock, fair_lock, lock_of_own_container)
    def test_waits_behind(self, lock):
        def hold():
            with lock():
                self.gates.reach('inside')

        def wait():
            with lock():
                self.gates.reach('after')

        gate = self.gates.hold('inside')
        threads = [self.thread(hold)]
        gate.wait()
        self.assertEqual([], self.watch.waits_behind(gate.thread))
        threads.append(self.thread(wait))
        self.gates.wait_until(
            lambda: self.watch.waits_behind(gate.thread), 'waiting')

        self.assertEqual(['lock'], self.watch.waits_behind(gate.thread))
        self.assertEqual(0, self.gates.happened('after'))
        gate.release()
        for thread in threads:
            thread.finish()
        self.assertEqual(1, self.gates.happened('after'))
        self.assertEqual({}, self.watch.owners)
        self.assertEqual({}, self.watch.waiters)

    def test_another_lock_is_not_waited_for(self):
        def hold():
            with lockutils.lock('lock'):
                self.gates.reach('inside')

        gate = self.gates.hold('inside')
        thread = self.thread(hold)
        gate.wait()
        with lockutils.lock('other'):
            self.assertEqual([], self.watch.waits_behind(gate.thread))
        gate.release()
        thread.finish()

    def test_held_is_of_the_calling_thread(self):
        held = []
        with lockutils.lock('outer'):
            with lockutils.lock('inner'):
                self.assertEqual(['outer', 'inner'], self.watch.held())
                self.thread(
                    lambda: held.append(self.watch.held())).finish()
            self.assertEqual(['outer'], self.watch.held())
        self.assertEqual([], self.watch.held())
        self.assertEqual([[]], held)

    def test_released_after_an_error(self):
        def fail():
            with lockutils.lock('lock'):
                raise ValueError()

        self.assertRaises(ValueError, fail)

        self.assertEqual([], self.watch.held())
        self.assertEqual({}, self.watch.owners)

    def test_check_is_called_before_each_acquisition(self):
        calls = []
        self.watch.check(lambda name, held: calls.append((name, held)))

        with lockutils.lock('outer'):
            with lockutils.lock('inner'):
                pass

        self.assertEqual([('outer', []), ('inner', ['outer'])], calls)

    def test_kept_lock_is_entered_twice(self):
        lock = lockutils.internal_lock('kept')

        for _ in range(2):
            with lock:
                self.assertEqual(['kept'], self.watch.held())

    def test_name_need_not_be_a_string(self):
        with lockutils.lock(('host', 'node')):
            self.assertEqual(["('host', 'node')"], self.watch.held())

    def test_copy_is_another_lock(self):
        class Lock:
            def __enter__(self):
                pass

            def __exit__(self, *exc_info):
                pass

        lock = locks._WatchedLock(self.watch, 'lock', Lock())

        with lock:
            with copy.deepcopy(lock):
                self.assertEqual(2, len(self.watch.owners))

    def test_clean_up_gives_the_locks_back(self):
        before = lockutils.internal_lock
        other = locks.LockWatch(self.gates)
        other.setUp()
        self.assertIsNot(before, lockutils.internal_lock)

        other.cleanUp()

        self.assertIs(before, lockutils.internal_lock)
