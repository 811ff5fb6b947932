"""Tables of results: one record, written as text, CSV, LaTeX (booktabs), JSON and HTML.

`record` says what a table is, `huse` and `evaluators` build the tables of the papers, `text`, `delimited`, `latex`,
`markup` and `structured` write any table. Every estimate keeps its n and its interval, every table its signatures.
"""
