"""Questions: a file of questions and quotes becomes questions whose facts are found in the corpus.

files.py      JSON Lines, JSON, YAML, CSV -> entries
entries.py    an entry's fields, checked by form
normal.py     what a quote is forgiven, and the way back to source positions
sections.py   sections by their name
places.py     where a quote stands
nearest.py    what stands there instead
load.py       all of it in order; the first problem raised, or all collected
review.py     what is doubtful in questions that can be used
suggest.py    passages to ask about, as a file to fill in
"""

from chunksweep.questions.load import Asked, examine, load_questions
from chunksweep.questions.problems import Problem

__all__ = ["Asked", "Problem", "examine", "load_questions"]
