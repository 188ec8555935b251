import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import * as pictures from "../../lib/pictures";
import { ElsewhereImage } from "./ElsewhereImage";

const URL_ = "https://pictures.example.com/cat.png";
const FILE = { file_id: "f_1", version: 1 } as Awaited<ReturnType<typeof pictures.loadPicture>>;
const FOUND = { file: FILE, allowed: false };
const UNKNOWN = { file: null, allowed: false };

test("a picture from elsewhere is loaded when the person says so", async () => {
  vi.spyOn(pictures, "findPicture").mockResolvedValue(UNKNOWN);
  const load = vi.spyOn(pictures, "loadPicture").mockResolvedValue(FILE);
  render(<ElsewhereImage url={URL_} alt="A cat" sessionId="s_1" />);
  expect(screen.getByText(/Image from pictures.example.com/)).toBeTruthy();
  expect(screen.queryByRole("img")).toBeNull();
  expect(load).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Load" }));
  expect((await screen.findByRole("img", { name: "A cat" })).getAttribute("src")).toContain(
    "/files/f_1/content",
  );
  expect(load).toHaveBeenCalledWith("s_1", URL_);
});

test("one that was loaded before is shown at once; one that can't be loaded says why", async () => {
  vi.spyOn(pictures, "findPicture").mockResolvedValueOnce(FOUND).mockResolvedValueOnce(UNKNOWN);
  const { unmount } = render(<ElsewhereImage url={URL_} alt="A cat" sessionId="s_1" />);
  await screen.findByRole("img", { name: "A cat" });
  unmount();
  vi.spyOn(pictures, "loadPicture").mockRejectedValue(new Error("It answered with status 404"));
  render(<ElsewhereImage url={URL_} alt="A cat" sessionId="s_1" />);
  await userEvent.click(screen.getByRole("button", { name: "Load" }));
  expect((await screen.findByRole("alert")).textContent).toContain("status 404");
});

test("one of a host that is allowed is loaded unasked, once", async () => {
  vi.spyOn(pictures, "findPicture").mockResolvedValue({ file: null, allowed: true });
  const load = vi.spyOn(pictures, "loadPicture").mockResolvedValue(FILE);
  render(<ElsewhereImage url={URL_} alt="A cat" sessionId="s_1" />);
  await screen.findByRole("img", { name: "A cat" });
  expect(load).toHaveBeenCalledOnce();
});
