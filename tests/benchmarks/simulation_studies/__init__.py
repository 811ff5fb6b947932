"""`make truth`: what the intervals and the tests are worth, measured in simulated studies."""
