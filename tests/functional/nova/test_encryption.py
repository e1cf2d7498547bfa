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

"""Bug 2048837: servers that share an encrypted volume.

See ``test_bug_2048837`` for how to read these tests. The encryptor is below
the guests, and belongs to all of them.
"""

from harness.nova import lifecycle


class TestEncryptorFails(lifecycle.LifecycleTest):

    race = 'encryptor-fails-sharer'
    title = 'attach(C), its encryptor fails, B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        self.encrypt(volume)
        self.server('B', volume)
        c = self.server('C')

        # cryptsetup does not open the device a second time.
        attaching = self.attach(c, volume)
        attaching.wait()

        self.assertFalse(self.gates.happened('decrypted'))
        self.conclude(may_fail=attaching)


class TestEncryptorFailsDelete(lifecycle.LifecycleTest):

    race = 'encryptor-fails-delete'
    title = 'attach(C), its encryptor fails after delete(B)'

    def test_race(self):
        volume = self.volume(False)
        self.encrypt(volume)
        b, c = self.server('B', volume), self.server('C')

        # C is connected. What B leaves is C's now, the encryptor as well.
        stopped = self.gates.hold('encrypt', volume=volume)
        attaching = self.attach(c, volume)
        stopped.wait()
        self.delete(b).wait(behind=stopped)

        stopped.release()
        attaching.wait()

        # The encryptor must not outlive the connection.
        closed = (self.ledger.is_connected(self.HOST, volume) or
                  self.gates.happened('encrypted') ==
                  self.gates.happened('decrypted'))
        self.conclude(observed='holds' if closed else 'leak',
                      may_fail=attaching)
