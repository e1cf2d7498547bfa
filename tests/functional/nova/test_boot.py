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

"""Bug 2048837: a server that shares a volume, and does not come up.

See ``test_bug_2048837`` for how to read these tests.
"""

from harness.nova import lifecycle


class TestBootFailsDelete(lifecycle.LifecycleTest):

    race = 'boot-fails-delete'
    title = 'boot of C fails before it connects, with delete(B)'

    def test_race(self):
        volume = self.volume(False)
        b = self.server('B', volume)
        self.fail_images()

        # C has a mapping, and Cinder lists it.
        booting = self.gates.hold('image')
        _, boot = self.boot('C', volume)
        booting.wait()

        # B has seen that, and Cinder lists B still.
        stopped = self.gates.hold('cinder.attachment_delete', instance=b)
        self.delete(b)
        stopped.wait()
        booting.release()
        boot.wait(behind=stopped)

        stopped.release()
        self.conclude(may_fail=boot)


class TestBootFailsConnected(lifecycle.LifecycleTest):

    race = 'boot-fails-connected'
    title = 'boot of C fails after it connected, B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        b = self.server('B', volume)

        stopped = self.gates.hold('connected')
        c, boot = self.boot('C', volume)
        stopped.wait()
        self.fail_start(c)
        stopped.release()
        boot.wait()

        self.assertEqual({b}, self.ledger.users(self.HOST, volume))
        self.conclude(may_fail=boot)
