"""Questions: a file of questions and quotes becomes questions whose facts are found in the corpus.

files.py      JSON Lines, JSON, YAML, CSV -> entries
entries.py    an entry's fields, checked by form
normal.py     what a quote is forgiven, and the way back to source positions
sections.py   sections by their name
places.py     where a quote stands
nearest.py    what stands there instead
load.py       all of it in order; the first problem raised, or all collected
"""

from chunksweep.questions.load import examine, load_questions
from chunksweep.questions.problems import Problem

__all__ = ["Problem", "examine", "load_questions"]
