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

"""An operation on a server, from its request to its end."""


class Operation:
    """Something that nova-compute was asked to do.

    :param gates: :class:`harness.gates.Gates` of the test
    :param locks: :class:`harness.locks.LockWatch` of the test
    :param name: name of the compute manager's method
    :param server: UUID of the server
    :param before: how often that had ended for the server before it was asked
        for, None to count now
    """

    def __init__(self, gates, locks, name, server, before=None):
        self._gates = gates
        self._locks = locks
        self._where = {'operation': name, 'instance': server}
        if before is None:
            before = gates.happened('end', **self._where)
        self._before = before

    @property
    def is_over(self):
        """Whether the operation has ended, well or not."""
        return self._gates.happened('end', **self._where) > self._before

    def wait(self, behind=None):
        """Wait for the end of the operation.

        :param behind: gate with a thread that may be in its way: do not wait
            longer than until something waits for a lock of that thread
        :returns: name of the exception that ended it, None if it succeeded
            or has not ended yet
        """
        self._gates.wait_until(
            lambda: self.is_over or (
                behind and self._locks.waits_behind(behind.thread)),
            'the end of the %s' % self)
        return self.error

    @property
    def error(self):
        """Name of the exception that ended the operation, or None."""
        if not self.is_over:
            return None
        return next(event.where['error']
                    for event in reversed(self._gates.trace)
                    if event.point == 'end' and all(
                        event.where[key] == value
                        for key, value in self._where.items()))

    def __str__(self):
        return '%s of %s' % (
            self._where['operation'],
            self._gates.names.get(self._where['instance']))
