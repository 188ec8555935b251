"""Documents of word processors (.docx), by mammoth."""
