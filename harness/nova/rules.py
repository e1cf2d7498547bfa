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

"""What may not be done while a volume's host-connection lock is held."""

#: Part of the names of the locks around connect and decide-then-disconnect.
HOST_CONNECTION = 'host-connection'

# os-brick's own lock around connect_volume and disconnect_volume.
_INSIDE = 'connect_volume'


def waits_on_others(point, held):
    """Check that something slow is not done under the lock.

    :param point: name of what is about to be done
    :param held: names of the locks that the thread holds
    :returns: the violation in words, None if there is none
    """
    locks = [name for name in held if HOST_CONNECTION in name]
    if locks:
        return '%s under the lock %s' % (point, locks[0])
    return None


def is_no_leaf(name, held):
    """Check that no other lock is taken under the lock.

    :param name: name of the lock that is about to be acquired
    :param held: names of the locks that the thread holds
    :returns: the violation in words, None if there is none
    """
    if name == _INSIDE:
        return None
    return waits_on_others('lock %s acquired' % name, held)
