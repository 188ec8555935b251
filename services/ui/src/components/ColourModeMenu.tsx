import Dropdown from "react-bootstrap/Dropdown";
import { type ColourMode, useColourMode } from "../lib/hooks/useColourMode";
import { Icon, type IconName } from "./Icon";

const MODES: { mode: ColourMode; icon: IconName; words: string }[] = [
  { mode: "system", icon: "system", words: "Like the system" },
  { mode: "light", icon: "sun", words: "Light" },
  { mode: "dark", icon: "moon", words: "Dark" },
];

/** Chooses dark or light, or what the system says. */
export function ColourModeMenu() {
  const [current, choose] = useColourMode();
  const icon = MODES.find(({ mode }) => mode === current)?.icon ?? "system";
  return (
    <Dropdown align="end">
      <Dropdown.Toggle
        variant="link"
        className="btn-icon no-caret"
        aria-label="Colour mode"
        title="Colour mode"
      >
        <Icon name={icon} size={18} />
      </Dropdown.Toggle>
      <Dropdown.Menu>
        {MODES.map(({ mode, icon: name, words }) => (
          <Dropdown.Item
            as="button"
            type="button"
            key={mode}
            active={mode === current}
            aria-current={mode === current}
            onClick={() => choose(mode)}
          >
            <Icon name={name} /> <span className="ms-2">{words}</span>
          </Dropdown.Item>
        ))}
      </Dropdown.Menu>
    </Dropdown>
  );
}
