/** The first stop of the keyboard: past the list of chats, to the conversation. */
export function SkipLink() {
  return (
    <button
      type="button"
      className="btn btn-primary visually-hidden-focusable skip-link"
      onClick={() => (document.getElementById("composer") ?? document.getElementById("main"))?.focus()}
    >
      Skip to the conversation
    </button>
  );
}
