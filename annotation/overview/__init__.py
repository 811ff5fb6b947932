"""Where studies stand: their facts in a few queries, stage, next step, headline, and what needs somebody."""
