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

"""Read a subunit v2 stream while the tests run."""

import dataclasses
import json

import subunit
import testtools

#: Statuses of a test that was run and is over.
FINAL = ('success', 'fail', 'skip', 'xfail', 'uxsuccess')

#: Status of a test that was announced and never ended.
UNFINISHED = 'unfinished'

# stestr adds a test of this name for a worker that ended badly.
_WORKER = 'process-returncode'


@dataclasses.dataclass(frozen=True)
class Result:
    """What came of one test.

    :ivar test: its id
    :ivar status: one of ``FINAL``, or ``UNFINISHED``
    :ivar seconds: how long it took
    :ivar race: the test's report about its race, or None: a mapping with
        ``race``, ``title``, ``variant``, ``observed``, ``declared``
    :ivar details: ``{name: text}`` of what else it attached
    """

    test: str
    status: str
    seconds: float = 0.0
    race: dict = None
    details: dict = dataclasses.field(default_factory=dict)

    @property
    def passed(self):
        """Whether the test itself was content."""
        return self.status == 'success'

    @property
    def observed(self):
        """The outcome of its race, or its status if it has none."""
        return self.race['observed'] if self.race else self.status


class Reader(testtools.StreamResult):
    """Makes :class:`Result` objects from a stream's events.

    :param finished: called with each :class:`Result` as soon as it is there
    :ivar results: list of all results
    :ivar expected: ids of the tests that were announced
    :ivar running: ids of the tests that have begun and are not over
    :ivar noise: text in the stream that belongs to no test
    """

    def __init__(self, finished=lambda result: None):
        super().__init__()
        self._finished = finished
        self._attached = {}
        self.results = []
        self.expected = {}
        self.running = {}
        self.noise = ''

    def read(self, source):
        """Read a stream to its end.

        :param source: file object of bytes
        """
        subunit.ByteStreamToStreamResult(
            source, non_subunit_name='stdout').run(self)

    def status(self, test_id=None, test_status=None, file_name=None,
               file_bytes=None, timestamp=None, **others):
        if file_bytes:
            if test_id is None:
                self.noise += bytes(file_bytes).decode(errors='replace')
            else:
                self._attached.setdefault(test_id, {}).setdefault(
                    file_name, bytearray()).extend(file_bytes)
        if test_id is None or test_status is None:
            return
        if test_status == 'exists':
            self.expected[test_id] = True
        elif test_status == 'inprogress':
            self.running[test_id] = timestamp
        elif test_status in FINAL:
            begun = self.running.pop(test_id, None)
            self._end(test_id, test_status, (
                timestamp - begun).total_seconds() if begun and timestamp
                else 0.0)

    def close(self):
        """Add what was announced and has no result.

        :returns: list of all results
        """
        seen = {result.test for result in self.results}
        for test_id in dict.fromkeys([*self.expected, *self.running]):
            if test_id not in seen:
                self._end(test_id, UNFINISHED, 0.0)
        return self.results

    def _end(self, test_id, status, seconds):
        attached = self._attached.pop(test_id, {})
        race = _race(attached.pop('race', b''))
        result = Result(test_id, status, round(seconds, 3), race, {
            name: bytes(content).decode(errors='replace')
            for name, content in attached.items() if content.strip()})
        if test_id == _WORKER and any(
                not other.passed for other in self.results):
            # The worker says once more that a test of its failed.
            return
        self.results.append(result)
        self._finished(result)


def _race(content):
    try:
        race = json.loads(bytes(content).decode())
    except ValueError:
        return None
    keys = ('race', 'title', 'variant', 'observed', 'declared')
    if not isinstance(race, dict) or not race.get('race'):
        return None
    return {key: str(race.get(key) or '') for key in keys}
