"""What those who run the site watch it by: health and metrics."""
