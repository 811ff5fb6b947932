"""Addresses for programs and guests: SNS, hosted HIT page, shared report."""
