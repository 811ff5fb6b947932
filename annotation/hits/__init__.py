"""What a worker sees and sends back."""
