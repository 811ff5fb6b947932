"""Crowds of careful and careless people, from published descriptions, to which the model of people is held.

`crowds` and `other_crowds` are two sets, written apart from each other and from every filter and model of Assay: they
import numpy only (`tests/architecture/test_crowds_apart.py` holds that). The model may be made while looking at
the first; the second is for measuring alone.
"""
