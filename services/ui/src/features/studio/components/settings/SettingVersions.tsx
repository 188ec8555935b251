import { useCallback } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import type { Setting, Settings } from "../../../../lib/wire";
import { clockTime, dayWords } from "../../../../lib/words";
import { readSettingVersions, revertSetting } from "../../api/settings";
import { labelOf } from "../../fold/settingWords";
import { by, versionName } from "../../fold/words";
import { Failure } from "../Failure";

interface Props {
  agentId: string | null;
  setting: Setting;
  onReverted: (settings: Settings) => void;
}

/** Who changed a setting and when, and the way back to what it was. */
export function SettingVersions({ agentId, setting, onReverted }: Props) {
  const { name, own } = setting;
  const read = useRead(
    useCallback((signal: AbortSignal) => readSettingVersions(agentId, name, signal), [agentId, name]),
  );
  const action = useAction();
  return (
    <div className="setting-versions">
      <Reading read={read}>
        {({ versions }) => (
          <ul aria-label={`Versions of ${labelOf(setting)}`}>
            {versions.map((one) => (
              <li key={one.sequence}>
                {versionName(one)}, by {by(one.actor)}, {dayWords(one.time, new Date())} {clockTime(one.time)}
                {!one.deleted && one.sequence !== own?.sequence && !setting.locked && (
                  <button
                    type="button"
                    className="btn btn-sm btn-outline-secondary"
                    disabled={action.working}
                    onClick={() => action.run(() => revertSetting(agentId, name, one.sequence), onReverted)}
                  >
                    Bring back<span className="visually-hidden"> version {one.version}</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Reading>
      <Failure failure={action.failure} />
    </div>
  );
}
