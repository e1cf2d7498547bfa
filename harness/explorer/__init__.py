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

"""Runs operations in all orders that matter, one step at a time.

``scheduler`` lets one task go at a time, from one named point to the next,
and knows which tasks wait for a lock. ``schedules`` decides which task goes:
all schedules up to a number of preemptions, random ones, or a given one.
``exploration`` runs schedules until all are done, and makes what fails short.
``counterexample`` writes a schedule down and reads it again. ``threads`` are
tasks of one thread each.

Nothing here knows of Nova or Cinder: what a task is, and when it is at rest,
is asked of an object with the interface of :class:`threads.Threads`. What is
true of the world is asked of a function.
"""
