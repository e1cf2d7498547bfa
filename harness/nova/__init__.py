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

"""A Nova whose volumes, connections and guests tell the truth.

``volumes``, ``ledger`` and ``rules`` are pure: how Cinder answers, who needs
which host connection, and what its lock must not be held over. ``cinder``,
``connector`` and ``guests`` put them under Nova, in the place of Cinder,
os-brick and libvirt. ``points`` makes a nova-compute service announce what
it does, and ``operation`` follows one request to its end. ``shared_volume``
is the base class of the tests and has their vocabulary, ``moves`` adds a
second host and what goes on between the two. ``compat`` knows how Nova's
releases differ, ``arms`` checks which Nova is under test.

Import ``harness.nova.compat`` before anything of Nova.
"""
