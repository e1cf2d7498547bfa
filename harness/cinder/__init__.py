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


"""Cinder's own services in one process, with gates and a ledger.

Cinder's tests decide about eventlet's monkey patching when they are
imported, and everything else has to see the patched modules: import
``cinder.tests.unit`` first, as ``tests.functional.cinder`` does.
"""
