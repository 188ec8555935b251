"""Documents of word processors, presentations, books and mail."""
