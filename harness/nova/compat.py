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

"""How Nova's releases differ, as far as the harness is concerned.

Nothing else in ``harness.nova`` asks for a version, and where a release can
be asked for what it has, its number is not looked at.
"""

# First of all, because it decides about eventlet's monkey patching. Where
# Nova's tests patch later than Nova's services do, oslo.db has been imported
# meanwhile, and its greenthreads see the transactions of others.
from nova import monkey_patch  # isort: skip
if hasattr(monkey_patch, 'patch'):
    monkey_patch.patch()

import gc

import fixtures
from nova.tests import fixtures as nova_fixtures
from nova.tests.functional.api import client
from nova.tests.functional.libvirt import base
from nova.virt.libvirt import event as libvirtevent

try:
    from nova.tests.fixtures import libvirt as fakelibvirt
except ImportError:
    # Before 24.0.0.
    from nova.tests.unit.virt.libvirt import fakelibvirt

# What the imports above made lives as long as the process. Looking through it
# again in each collection of garbage costs an eighth of a test's time.
gc.freeze()
gc.set_threshold(20000, 20, 20)

#: What Nova's own functional tests of the libvirt driver start from.
ServersTestBase = base.ServersTestBase
#: An answer of Nova's API that is no success.
ApiError = client.OpenStackApiException
#: Where fakelibvirt is, for fixtures.MonkeyPatch.
FAKELIBVIRT = fakelibvirt.__name__


class RealCasts(fixtures.Fixture):
    """Casts are casts, not calls: requests do not wait for nova-compute.

    Newer test base classes have a switch for it, ``CAST_AS_CALL``. For older
    ones the fixture that makes casts calls is replaced.
    """

    _PLACES = ('nova.tests.unit.cast_as_call.CastAsCall',
               'nova.tests.fixtures.CastAsCall',
               'nova.tests.fixtures.CastAsCallFixture')

    def _setUp(self):
        for place in self._PLACES:
            module, name = place.rsplit('.', 1)
            if _exists(module, name):
                self.useFixture(fixtures.MonkeyPatch(
                    place, lambda test: fixtures.Fixture()))


class ConnectorProperties(fixtures.Fixture):
    """What os-brick finds out about a host, without looking at ours."""

    def _setUp(self):
        self.useFixture(fixtures.MonkeyPatch(
            'os_brick.initiator.connector.get_connector_properties',
            _connector_properties))


def device_removed(domain, alias):
    """Make the event that libvirt sends when a device has left the guest.

    :param domain: the domain
    :param alias: the device's alias
    :returns: what the driver makes of libvirt's event
    """
    return libvirtevent.DeviceRemovedEvent(domain.UUIDString(), alias)


def _exists(module, name):
    try:
        return hasattr(__import__(module, fromlist=[name]), name)
    except ImportError:
        return False


def _connector_properties(root_helper, my_ip, multipath, enforce_multipath,
                          host=None, execute=None):
    return {'ip': my_ip, 'host': host, 'multipath': multipath,
            'initiator': 'iqn.2000-01.org.example:%s' % host,
            'platform': 'x86_64', 'os_type': 'linux2'}


__all__ = ['ApiError', 'ConnectorProperties', 'FAKELIBVIRT', 'RealCasts',
           'ServersTestBase', 'device_removed', 'fakelibvirt',
           'nova_fixtures']
