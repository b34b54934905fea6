"""The course around the lessons: finding a lesson, what is made of it, what is handed out and graded."""
