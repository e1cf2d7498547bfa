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

"""What the unit tests of the harness share."""

import threading

from oslotest import base


class Thread(threading.Thread):
    """A thread that hands its exception to who joins it.

    :param function: what to run
    :param args: its arguments
    """

    def __init__(self, function, *args):
        super().__init__(daemon=True)
        self._function, self._args = function, args
        self._error = None
        self.start()

    def run(self):
        try:
            self._function(*self._args)
        except BaseException as error:
            self._error = error

    def finish(self):
        """Wait for the end, and raise what the function raised."""
        self.join(10)
        if self.is_alive():
            raise AssertionError('%s does not end' % self._function)
        if self._error is not None:
            raise self._error


class TestCase(base.BaseTestCase):

    def thread(self, function, *args):
        return Thread(function, *args)
