"""Near-negative distinction (Laban, Wu, Murdoch, Xiong 2022): does a model find the better text likelier?

Tests come from annotations (`formats`, `build`), a model's likelihoods are put to them (`administer`), and pass rates,
comparisons, verification against people, curves and a browser of the tests follow.
"""
