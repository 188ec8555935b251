"""workers, reminders, memories, working memory, skills"""
