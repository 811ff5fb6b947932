"""The wire: JSON 1.1 over POST, signed by SigV4, as Amazon's Requester API spoke it."""
