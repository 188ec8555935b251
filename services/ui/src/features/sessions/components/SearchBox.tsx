import { useState } from "react";
import { Icon } from "../../../components/Icon";

/** Searches titles and messages as the user types; Escape clears it. */
export function SearchBox({ onSearch }: { onSearch: (text: string) => void }) {
  const [text, setText] = useState("");

  function change(next: string) {
    setText(next);
    onSearch(next);
  }

  return (
    <search className="search-box">
      <Icon name="search" size={15} />
      <input
        type="search"
        className="form-control form-control-sm"
        placeholder="Search"
        aria-label="Search chats"
        value={text}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !text) return;
          event.preventDefault();
          change("");
        }}
      />
    </search>
  );
}
