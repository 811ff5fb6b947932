"""Figures: each module turns results into a chart, and a chart into an interactive or a static picture.

A figure module has `data(...)` (the table behind it), `chart(...)` (what is drawn), `figure(...)` (Plotly) and
`alt(...)` (the finding in words). `interactive` and `static` draw any chart, `embed` puts charts
into one HTML file, `images` makes SVG, PNG and PDF; `theme` holds colours and shapes.
Plotly is imported when a figure is asked for, never by `import metrics`.
"""
