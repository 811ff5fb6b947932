"""Clock, due times, row locks, rate limits, paging, request tokens."""
