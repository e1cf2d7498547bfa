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

"""What the functional tests of released and patched Nova and Cinder stand on.

The modules at the top know neither project: ``gates`` stops threads at named
points, ``locks`` knows who waits for which lock, ``declared`` says what a
target's released arm is expected to do, ``race`` compares that with what
happened. ``harness.nova`` and ``harness.cinder`` know one project each.
"""
