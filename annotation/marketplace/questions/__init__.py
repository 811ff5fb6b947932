"""QuestionForm: questions that the marketplace itself renders and checks, for HITs and for qualification tests."""
