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

"""The commands, one a module.

Each module has ``add_arguments(parser)`` and ``run(workspace, arguments)``,
which returns the exit status. The first line of its docstring is its help.
"""


def positive(text):
    """Type of an argument that is a positive number.

    :param text: what was given
    :returns: the number
    :raises ValueError: if it is none
    """
    if not text.isdecimal() or not int(text):
        raise ValueError(text)
    return int(text)
