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

"""The points that a nova-compute service announces.

What is wrapped are methods of the service's own objects, not of classes, so
that it does not matter which driver class a host runs and hosts in one
process can be told apart.
"""

import contextlib
import functools
import threading

#: The compute manager's methods whose end is announced.
OPERATIONS = ('_do_build_and_run_instance', 'terminate_instance',
              'attach_volume', 'detach_volume', 'shelve_instance',
              'stop_instance', 'unshelve_instance', 'rebuild_instance',
              '_do_live_migration', 'pre_live_migration',
              'post_live_migration_at_destination',
              'remove_volume_connection',
              'rollback_live_migration_at_destination',
              'prep_resize', 'resize_instance', 'finish_resize',
              'confirm_resize', 'revert_resize', 'finish_revert_resize',
              'start_instance', 'reboot_instance', 'rescue_instance',
              'unrescue_instance', 'swap_volume')


class Points:
    """Wraps one nova-compute service.

    Points, each with instance, host and (but for ``end``) volume:

    * ``leave``: the driver starts to disconnect a volume for an instance
    * ``decide``, ``decided``: around the decision whether to
    * ``connect``, ``connected``, ``disconnect``, ``disconnected``: around
      what the volume driver does
    * ``network.deallocate``: an instance's network goes
    * ``end``: an operation of the compute manager is over; ``error`` is the
      name of the exception that left it, or None

    :param service: the service, just started
    :param connector: :class:`harness.nova.connector.Connector` of its host
    :param gates: :class:`harness.gates.Gates` of the test
    :param ledger: :class:`harness.nova.ledger.Ledger` of the test
    :param slow: function that is told what may not be done under the lock of
        a host connection
    """

    def __init__(self, service, connector, gates, ledger, slow):
        self._host = service.host
        self._connector = connector
        self._gates = gates
        self._ledger = ledger
        self._slow = slow
        self._leaving = threading.local()
        manager = service.manager
        driver = manager.driver
        for name in OPERATIONS:
            _wrap(manager, name, functools.partial(self._operation, name))
        _wrap(manager.network_api, 'deallocate_for_instance',
              self._deallocate)
        _wrap(driver, '_disconnect_volume', self._leave)
        _wrap(driver, '_should_disconnect_target', self._decide)
        volume_driver = driver._get_volume_driver(
            {'driver_volume_type': 'iscsi'})
        volume_driver.connector = connector
        _wrap(volume_driver, 'connect_volume',
              functools.partial(self._device, 'connect', 'connected'))
        _wrap(volume_driver, 'disconnect_volume',
              functools.partial(self._device, 'disconnect', 'disconnected'))

    def _operation(self, name, original, *args, **kwargs):
        instance = kwargs.get('instance') or next(
            arg for arg in args if hasattr(arg, 'vm_state'))
        error = None
        try:
            return original(*args, **kwargs)
        except BaseException as exc:
            error = type(exc).__name__
            raise
        finally:
            self._reach('end', instance, operation=name, error=error)

    def _deallocate(self, original, context, instance, *args, **kwargs):
        self._slow('network.deallocate')
        self._reach('network.deallocate', instance)
        return original(context, instance, *args, **kwargs)

    def _leave(self, original, context, connection_info, instance,
               *args, **kwargs):
        volume = _volume_id(connection_info)
        self._ledger.leave(self._host, volume, instance.uuid)
        self._reach('leave', instance, volume=volume)
        with self._set_leaving(volume):
            return original(context, connection_info, instance,
                            *args, **kwargs)

    def _decide(self, original, context, instance, *args, **kwargs):
        volume = self._leaving.volume
        self._reach('decide', instance, volume=volume)
        disconnect = original(context, instance, *args, **kwargs)
        self._reach('decided', instance, volume=volume, disconnect=disconnect)
        return disconnect

    def _device(self, before, after, original, connection_info, instance,
                *args, **kwargs):
        volume = _volume_id(connection_info)
        self._reach(before, instance, volume=volume)
        with self._connector.acting_for(instance.uuid):
            result = original(connection_info, instance, *args, **kwargs)
        self._reach(after, instance, volume=volume)
        return result

    @contextlib.contextmanager
    def _set_leaving(self, volume):
        self._leaving.volume = volume
        try:
            yield
        finally:
            self._leaving.volume = None

    def _reach(self, point, instance, **where):
        self._gates.reach(point, instance=instance.uuid, host=self._host,
                          **where)


def _wrap(owner, name, wrapper):
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(*args, **kwargs):
        return wrapper(original, *args, **kwargs)

    setattr(owner, name, wrapped)


def _volume_id(connection_info):
    return connection_info['data']['volume_id']
