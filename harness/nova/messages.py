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

"""RPC messages of Nova's tests, delivered at once."""

import threading
import time
import types

import fixtures


class PromptMessages(fixtures.Fixture):
    """Lets the listeners of oslo.messaging's fake driver wait for messages.

    They look for a message every 50 ms, which is most of the time that an
    operation takes.
    """

    def _setUp(self):
        self._changed = threading.Condition()
        self._delivered = 0
        self._seen = threading.local()
        module = 'oslo_messaging._drivers.impl_fake'
        fake = __import__(module, fromlist=['FakeExchange'])
        deliver_message = fake.FakeExchange.deliver_message

        def deliver(*args, **kwargs):
            deliver_message(*args, **kwargs)
            with self._changed:
                self._delivered += 1
                self._changed.notify_all()

        self.useFixture(fixtures.MonkeyPatch(
            '%s.FakeExchange.deliver_message' % module, deliver))
        self.useFixture(fixtures.MonkeyPatch(
            '%s.time' % module,
            types.SimpleNamespace(**dict(vars(time), sleep=self._wait))))

    def _wait(self, seconds):
        with self._changed:
            # What was delivered since this thread looked last must not wait.
            if getattr(self._seen, 'delivered', None) == self._delivered:
                self._changed.wait(seconds)
            self._seen.delivered = self._delivered
