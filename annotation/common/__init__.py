"""What has no subject: bulk inserts, pieces of queries."""
