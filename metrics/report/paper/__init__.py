"""The paper page: what of a report belongs into a paper of two columns."""
