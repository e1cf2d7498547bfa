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

"""All that the commands print.

Lines are flushed one by one, so that they are seen at once below tox and in
a CI's log, where standard output is a pipe.
"""

import contextlib
import sys
import threading
import time

#: Seconds between two signs of life of something that takes long.
INTERVAL = 5

_lock = threading.Lock()


def say(text=''):
    """Print a line, or several.

    :param text: what to print, without the last line's end
    """
    with _lock:
        sys.stdout.write(text + '\n')
        sys.stdout.flush()


def complain(text):
    """Print one line on standard error.

    :param text: what is wrong
    """
    with _lock:
        sys.stderr.write('series: %s\n' % ' '.join(text.split()))
        sys.stderr.flush()


@contextlib.contextmanager
def busy(what, more=lambda: ''):
    """Say what is being done, and every few seconds that it still is.

    :param what: what is being done, in words
    :param more: called for what to add to a sign of life
    """
    start = time.monotonic()
    done = threading.Event()

    def tick():
        while not done.wait(INTERVAL):
            say('%s ... %d s%s' % (what, time.monotonic() - start, more()))

    say('%s ...' % what)
    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
    say('%s: done (%.1f s)' % (what, time.monotonic() - start))
