"""A stand-in for Prolific's API, written from its public documentation: a process of its own, in memory.

It validates every request against `request_shapes`, enforces states and money, and plays people. What the
documentation leaves open is a setting, so that tests can try either answer. Start it by `process.running`,
steer it by `controls.Controls`. It imports nothing of the project, and nobody but the rehearsal and tests imports it.
"""
