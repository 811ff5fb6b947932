"""Ways in to the work: registered accounts, invitation links, invited people; consent, leaving, retention.

A channel opens HITs of one requester to the people who come by it. What kinds of channels there are stands in `kinds`.
"""
