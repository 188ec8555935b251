"""PDFs: pypdf changes them, pdfium reads and renders them, reportlab draws what is put onto them."""
