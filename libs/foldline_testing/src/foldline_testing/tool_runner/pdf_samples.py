"""PDFs and pictures for tests."""

import io

import PIL.Image
from pypdf import PdfReader, PdfWriter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas


def pdf_of(*pages: str, password: str | None = None, turned: int = 0) -> bytes:
    """A PDF of 300 × 400 points whose pages say these texts."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(300, 400), invariant=True)
    canvas.setTitle("A paper")
    canvas.setAuthor("Ann Baker")
    for text in pages:
        canvas.drawString(20, 200, text)
        canvas.showPage()
    canvas.save()
    if not password and not turned:
        return made.getvalue()
    writer = PdfWriter(clone_from=PdfReader(made))
    for page in writer.pages:
        page.rotate(turned)
    if password:
        writer.encrypt(password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def form_pdf() -> bytes:
    """A form with a text, a box, a choice and two radio buttons on its first page, and a page without any."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(300, 400), invariant=True)
    form = canvas.acroForm
    form.textfield(name="name", x=20, y=350, width=200, height=20, maxlen=20)
    form.checkbox(name="agreed", x=20, y=300)
    form.choice(name="colour", options=["red", "green"], value="red", x=20, y=250, width=100, height=20)
    form.radio(name="size", value="small", x=20, y=200)
    form.radio(name="size", value="large", x=60, y=200)
    form.textfield(name="fixed", x=20, y=150, width=100, height=20, value="no", fieldFlags="readOnly")
    canvas.showPage()
    canvas.drawString(20, 200, "Terms")
    canvas.showPage()
    canvas.save()
    return made.getvalue()


def png_of(width: int = 20, height: int = 10, color: str = "red") -> bytes:
    """A picture of one colour."""
    made = io.BytesIO()
    PIL.Image.new("RGB", (width, height), color).save(made, "PNG")
    return made.getvalue()


def scanned_pdf() -> bytes:
    """Eight pages: text; a scan; a scan in a form, with a footer; a scan with a footer; nothing; text and a
    picture; text with a comment; a scan."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(300, 400), invariant=True)
    scan = ImageReader(io.BytesIO(png_of(150, 200)))
    canvas.drawString(20, 200, "One")
    canvas.showPage()
    canvas.drawImage(scan, 0, 0, 300, 400)
    canvas.showPage()
    canvas.beginForm("scan")
    canvas.drawImage(scan, 0, 0, 300, 400)
    canvas.endForm()
    canvas.doForm("scan")
    canvas.drawString(20, 20, "Page 3 of 8")
    canvas.showPage()
    canvas.drawImage(scan, 0, 0, 300, 400)
    canvas.drawString(20, 20, "Page 4 of 8")
    canvas.showPage()
    canvas.showPage()
    canvas.drawString(20, 200, "Six")
    canvas.drawImage(scan, 10, 10, 60, 60)
    canvas.showPage()
    canvas.drawString(20, 200, "Seven")
    canvas.textAnnotation("Please check", Rect=[10, 10, 30, 30])
    canvas.showPage()
    canvas.drawImage(scan, 0, 0, 300, 400)
    canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=PdfReader(made))
    writer.add_attachment("figures.csv", b"a,b")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
