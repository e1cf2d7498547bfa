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

"""Interrupts that come at a bad moment wait for a good one.

A signal between the start of a child and the statement that would end it
would leave the child behind.
"""

import contextlib
import signal
import threading

_held = False
_came = False


def install():
    """Make SIGINT and SIGTERM raise KeyboardInterrupt where it does no harm.

    A CI that ends a job asks by SIGTERM first: children end then, too.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _arrive)


@contextlib.contextmanager
def held():
    """Hold interrupts back; one that came is raised at the end.

    Does nothing in other threads than the main one, which is where Python
    delivers signals, and inside of another use of itself.
    """
    global _held, _came
    if _held or threading.current_thread() is not threading.main_thread():
        yield
        return
    _held, _came = True, False
    try:
        yield
    finally:
        _held = False
        if _came:
            _came = False
            raise KeyboardInterrupt


def _arrive(number, frame):
    global _came
    if not _held:
        raise KeyboardInterrupt
    _came = True
