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

"""Guests that keep their disks' serials, and libvirt events that arrive."""

import fixtures
from lxml import etree

from harness.nova import compat

fakelibvirt = compat.fakelibvirt


class Guests(fixtures.Fixture):
    """Makes fakelibvirt's domains as strict as the harness needs them.

    A disk keeps its serial and its alias. Taking it out of the persistent
    configuration does not take it from the running guest. When it has left
    the guest the driver gets libvirt's event at once. Taking what is not
    there is the error that libvirt makes of it.

    A live migration takes the guest from one host to the other. Defining the
    configuration of a running guest does not stop it.

    Points: ``guest.shutdown``, ``guest.destroy`` and ``guest.migrate`` with
    the instance, ``guest.detach`` with instance and volume.

    :param gates: :class:`harness.gates.Gates` of the test
    :param slow: function that is told the name of each point before it
    :ivar immovable: set of the UUIDs of the instances whose guests libvirt
        fails to migrate
    :ivar unstartable: set of the UUIDs of the instances whose guests libvirt
        fails to start
    """

    def __init__(self, gates, slow=lambda point: None):
        super().__init__()
        self._gates = gates
        self._slow = slow
        self._drivers = {}
        self.immovable = set()
        self.unstartable = set()

    def _setUp(self):
        self._patch('_parse_disk_info', self._parse_disk_info)
        for name in ('XMLDesc', 'detachDeviceFlags', 'shutdown', 'destroy',
                     'migrateToURI3', 'createWithFlags', 'blockCopy'):
            self._patch('Domain.%s' % name, getattr(self, '_%s' % name))
        self._patch('Connection.defineXML', self._defineXML)

    def serve(self, host, driver):
        """Send events about the guests of a host to its driver.

        :param host: name of the host
        :param driver: the libvirt driver
        """
        self._drivers[host] = driver

    def having(self, host, source):
        """Find the running guests that have a disk.

        :param host: name of the host
        :param source: path of the disk's device on the host
        :returns: set of instance UUIDs
        """
        return {domain.UUIDString()
                for domain in self._domains_with(host, source)
                if _is_running(domain)}

    def defined_with(self, host, source):
        """Find the guests, running or not, that have a disk.

        :param host: name of the host
        :param source: path of the disk's device on the host
        :returns: set of instance UUIDs
        """
        return {domain.UUIDString()
                for domain in self._domains_with(host, source)}

    def _domains_with(self, host, source):
        if host not in self._drivers:
            return []
        return [domain for domain in self._connection(host)._vms.values()
                if any(disk.get('source') == source
                       for disk in domain._def['devices']['disks'])]

    def _connection(self, host):
        return self._drivers[host]._host.get_connection()

    def _patch(self, name, wrapper):
        path = fakelibvirt
        for part in name.split('.'):
            path = getattr(path, part)
        original = path

        def patched(*args, **kwargs):
            return wrapper(original, *args, **kwargs)

        self.useFixture(fixtures.MonkeyPatch(
            '%s.%s' % (compat.FAKELIBVIRT, name), patched))

    def _announce(self, point, **where):
        self._slow(point)
        self._gates.reach(point, **where)

    def _parse_disk_info(self, original, element):
        disk = original(element)
        disk['serial'] = element.findtext('./serial')
        alias = element.find('./alias')
        disk['alias'] = None if alias is None else alias.get('name')
        return disk

    def _XMLDesc(self, original, domain, flags=0):
        tree = etree.fromstring(original(domain, flags))
        elements = tree.findall('./devices/disk')
        for element, disk in zip(elements, domain._def['devices']['disks']):
            if disk.get('serial'):
                etree.SubElement(element, 'serial').text = disk['serial']
            if disk.get('alias'):
                etree.SubElement(element, 'alias', name=disk['alias'])
            if (flags & fakelibvirt.VIR_DOMAIN_XML_INACTIVE and
                    disk.get('_live_only')):
                element.getparent().remove(element)
        return etree.tostring(tree, encoding='unicode')

    def _detachDeviceFlags(self, original, domain, xml, flags):
        if not xml.startswith('<disk'):
            return original(domain, xml, flags)
        disks = domain._def['devices']['disks']
        wanted = fakelibvirt._parse_disk_info(etree.fromstring(xml))
        disk = next((disk for disk in disks
                     if disk['target_dev'] == wanted['target_dev']), None)
        if disk is None:
            raise fakelibvirt.make_libvirtError(
                fakelibvirt.libvirtError, 'device not found',
                error_code=fakelibvirt.VIR_ERR_DEVICE_MISSING,
                error_domain=fakelibvirt.VIR_FROM_QEMU)
        if flags & fakelibvirt.VIR_DOMAIN_AFFECT_LIVE:
            self._announce('guest.detach', instance=domain.UUIDString(),
                           volume=disk['serial'])
            disks.remove(disk)
            driver = self._drivers[domain._connection.hostname]
            driver.emit_event(compat.device_removed(domain, disk['alias']))
        elif _is_running(domain):
            disk['_live_only'] = True
        else:
            disks.remove(disk)

    def _shutdown(self, original, domain):
        self._announce('guest.shutdown', instance=domain.UUIDString())
        return original(domain)

    def _destroy(self, original, domain):
        self._announce('guest.destroy', instance=domain.UUIDString())
        return original(domain)

    def _createWithFlags(self, original, domain, flags):
        if domain.UUIDString() in self.unstartable:
            raise _operation_failed('process exited while connecting to '
                                    'monitor')
        return original(domain, flags)

    def _blockCopy(self, original, domain, target, xml, flags=0):
        # The guest goes over to the copy at once.
        copy = fakelibvirt._parse_disk_info(etree.fromstring(xml))
        disk = next(disk for disk in domain._def['devices']['disks']
                    if disk['target_dev'] == target)
        disk.update(source=copy['source'], serial=copy['serial'])
        return original(domain, target, xml, flags=flags)

    def _migrateToURI3(self, original, domain, uri, params, flags):
        self._announce('guest.migrate', instance=domain.UUIDString())
        if domain.UUIDString() in self.immovable:
            domain.fail_job()
            raise _operation_failed('migration out job: unexpectedly failed')
        host = next(host for host in self._drivers if '//%s/' % host in uri)
        self._connection(host).createXML(params['destination_xml'], 0)
        domain._state = fakelibvirt.VIR_DOMAIN_SHUTOFF
        del domain._connection._vms[domain.name()]
        domain.complete_job()

    def _defineXML(self, original, connection, xml):
        name = etree.fromstring(xml).findtext('./name')
        domain = connection._vms.get(name)
        if domain is None or not _is_running(domain):
            return original(connection, xml)
        domain._transient = False
        return domain


def _operation_failed(words):
    return fakelibvirt.make_libvirtError(
        fakelibvirt.libvirtError, words,
        error_code=fakelibvirt.VIR_ERR_OPERATION_FAILED,
        error_domain=fakelibvirt.VIR_FROM_QEMU)


def _is_running(domain):
    return domain._state in (fakelibvirt.VIR_DOMAIN_RUNNING,
                             fakelibvirt.VIR_DOMAIN_PAUSED)
