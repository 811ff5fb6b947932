"""Long work: queue, runners, tasks of Celery, uploads."""
