"""How well the raters of two public releases of one installation can be linked by habits."""
