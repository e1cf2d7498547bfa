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

"""Modules of ours that the patches add to a project, letter for letter."""

#: ``{project: {file in this checkout: file in the patched tree}}``
FILES = {
    'nova': {
        'nova_ext/host_connections.py':
            'nova/virt/libvirt/host_connections.py',
    },
    'cinder': {
        'cinder_ext/volume_status.py': 'cinder/db/volume_status.py',
    },
}
