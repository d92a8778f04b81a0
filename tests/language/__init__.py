"""The language against CPython: programs plain and traced must agree in results, exceptions and their chains, tracebacks,
output and what they leave in their arguments. Tour:

    outcomes.py     what can be seen of a call
    exceptions.py, functions.py, classes.py, flow.py, data.py     programs of a number and a tensor
    objects.py, values.py (with subjects.py)                      programs of any value, a tensor and a state that lives on
    test_language.py runs them all
"""
