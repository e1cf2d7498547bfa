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

"""The one exception that a command ends with."""


class SeriesError(Exception):
    """Something is wrong that the user can put right.

    The message is one line that says what is wrong and what to do.
    """


def last_line(text):
    """The line of a program's output that says most about its failure.

    :param text: what the program printed
    :returns: the last line that is not empty, stripped
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else 'it printed nothing'
