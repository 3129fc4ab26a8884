"""A sweep, or what changed between two runs, as one HTML file that needs nothing else.

content.py  what is shown, as plain data
plots.py    the figures, by matplotlib
drill.py    what became of each question under each cell, small enough to travel in the page
page.py     the templates filled in
"""
