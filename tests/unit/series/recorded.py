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

"""Streams as stestr gives them."""

import datetime
import io
import json

import subunit

_NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone.utc)


class Recording:
    """Writes a subunit v2 stream.

    :ivar bytes: the stream so far
    """

    def __init__(self):
        self._stream = io.BytesIO()
        self._result = subunit.StreamResultToBytes(self._stream)

    @property
    def bytes(self):
        return self._stream.getvalue()

    def exists(self, *tests):
        for test in tests:
            self._result.status(test_id=test, test_status='exists')
        return self

    def begin(self, test):
        self._result.status(test_id=test, test_status='inprogress',
                            timestamp=_NOON)
        return self

    def attach(self, test, name, content, mime_type='text/plain'):
        self._result.status(test_id=test, file_name=name,
                            file_bytes=content.encode(), eof=True,
                            mime_type=mime_type)
        return self

    def end(self, test, status='success', seconds=4.0):
        self._result.status(
            test_id=test, test_status=status,
            timestamp=_NOON + datetime.timedelta(seconds=seconds))
        return self

    def race(self, race, observed, declared='leak', variant='',
             status='success', seconds=4.0, title='delete(A) with delete(B)'):
        """A whole test about a race, whose id is made of its name."""
        test = 'tests.functional.nova.%s.%s' % (race, variant or 'test')
        self.begin(test)
        if status == 'fail':
            self.attach(test, 'traceback', 'Traceback: it went wrong')
        self.attach(test, 'race', json.dumps({
            'race': race, 'title': title, 'variant': variant,
            'observed': observed, 'declared': declared}),
            'application/json')
        return self.end(test, status, seconds)
