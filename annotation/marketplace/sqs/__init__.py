"""Queues of notifications, as clients of Amazon SQS read them."""
