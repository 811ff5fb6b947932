"""What is put before people and in which order: tasks, wordings, training, layouts and presets. Pure functions."""
