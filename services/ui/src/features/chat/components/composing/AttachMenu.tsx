import { useRef } from "react";
import Dropdown from "react-bootstrap/Dropdown";
import { Icon } from "../../../../components/Icon";
import { chosen } from "../../api/picking";
import type { Picked } from "../../fold/attached";

/** Chooses files, or a folder with all that is in it. */
export function AttachMenu({ onPicked }: { onPicked: (picked: Picked[]) => void }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const input = (label: string, attributes: object) => (
    <input
      {...attributes}
      type="file"
      className="d-none"
      aria-label={label}
      multiple
      onChange={({ target }) => {
        if (target.files) onPicked(chosen(target.files));
        // The same file can be chosen again.
        target.value = "";
      }}
    />
  );
  return (
    <Dropdown drop="up">
      <Dropdown.Toggle
        variant="link"
        className="btn-round btn-attach no-caret"
        aria-label="Attach"
        title="Attach files"
      >
        <Icon name="attach" size={18} />
      </Dropdown.Toggle>
      <Dropdown.Menu>
        <Dropdown.Item as="button" type="button" onClick={() => files.current?.click()}>
          <Icon name="file" /> <span className="ms-2">Files…</span>
        </Dropdown.Item>
        <Dropdown.Item as="button" type="button" onClick={() => folder.current?.click()}>
          <Icon name="folder" /> <span className="ms-2">A folder…</span>
        </Dropdown.Item>
      </Dropdown.Menu>
      {input("Files to attach", { ref: files })}
      {input("Folder to attach", { ref: folder, webkitdirectory: "" })}
    </Dropdown>
  );
}
