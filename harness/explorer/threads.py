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

"""Tasks of one thread each."""

import threading


class Threads:
    """Runs each task in one thread.

    :param gates: :class:`harness.gates.Gates`; that a task is over is
        announced there
    """

    def __init__(self, gates):
        self._gates = gates
        self._local = threading.local()
        self._active = {}

    def start(self, name, function):
        """Start a task.

        :param name: name of the task
        :param function: what it does
        """
        with self._gates.changed:
            self._active[name] = 1
        threading.Thread(
            target=self._run, args=(name, function), daemon=True).start()

    def current(self):
        """Name of the task that the calling thread works for, or None."""
        return getattr(self._local, 'name', None)

    def active(self, name):
        """How many threads are at work for a task.

        One that waits for the answer of another thread of the task, which is
        counted then, is not. What nobody has taken up yet is.

        :param name: name of the task
        :returns: number of threads; 0 if the task is over
        """
        return self._active.get(name, 0)

    def _run(self, name, function):
        self._local.name = name
        try:
            function()
        finally:
            with self._gates.changed:
                self._active[name] = 0
                self._gates.changed.notify_all()
