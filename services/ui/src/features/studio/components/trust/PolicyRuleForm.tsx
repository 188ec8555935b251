import { useId } from "react";
import { Icon } from "../../../../components/Icon";
import type { PolicyRule } from "../../../../lib/wire";
import {
  choiceWords,
  PART_NAMES,
  PARTS,
  type Part,
  saidBy,
  VERDICT_WORDS,
  withPart,
} from "../../fold/policy";
import { Press, Select } from "../controls";

/** Characters of a pattern, and of a note. */
const LONGEST = 500;

interface Props {
  rule: PolicyRule;
  number: number;
  last: boolean;
  onChange: (rule: PolicyRule) => void;
  /** Up (-1) or down (1). */
  onMove: (by: number) => void;
  onRemove: () => void;
}

/** One rule of a person's: what becomes of the calls that fit all that it says. */
export function PolicyRuleForm({ rule, number, last, onChange, onMove, onRemove }: Props) {
  const id = useId();
  const said = saidBy(rule.match);
  const left = PART_NAMES.filter((part) => !said.includes(part));
  return (
    <li className="lever-item" aria-label={`Rule ${number}`}>
      <div className="policy-rule">
        <label htmlFor={`${id}-verdict`}>Rule {number}</label>
        <Select
          id={`${id}-verdict`}
          value={rule.verdict}
          words={VERDICT_WORDS}
          onChoose={(verdict) => onChange({ ...rule, verdict })}
        />
        {said.map((part) => (
          <PartField key={part} rule={rule} part={part} onChange={onChange} />
        ))}
        <label htmlFor={`${id}-note`}>What for</label>
        <input
          id={`${id}-note`}
          className="form-control form-control-sm"
          maxLength={LONGEST}
          value={rule.note ?? ""}
          onChange={(event) => onChange({ ...rule, note: event.target.value })}
        />
      </div>
      {said.length === 0 && <p className="text-body-secondary small">It is about every call.</p>}
      <div className="studio-buttons">
        <Select
          className="form-select form-select-sm policy-add"
          aria-label={`One more condition of rule ${number}`}
          value={"" as Part}
          words={[["" as Part, "Only if …"], ...left.map((part) => [part, PARTS[part].label] as const)]}
          onChoose={(part) => onChange(withPart(rule, part, PARTS[part].choices?.[0] ?? ""))}
        />
        <Press of={`rule ${number}`} disabled={number === 1} onPress={() => onMove(-1)}>
          Up
        </Press>
        <Press of={`rule ${number}`} disabled={last} onPress={() => onMove(1)}>
          Down
        </Press>
        <Press of={`rule ${number}`} onPress={onRemove}>
          Remove
        </Press>
      </div>
    </li>
  );
}

interface PartProps {
  rule: PolicyRule;
  part: Part;
  onChange: Props["onChange"];
}

function PartField({ rule, part, onChange }: PartProps) {
  const id = useId();
  const { label, hint, choices } = PARTS[part];
  const value = String(rule.match[part] ?? "");
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="policy-part">
        {choices ? (
          <Select
            id={id}
            value={value}
            words={choices.map((choice) => [choice, choiceWords(choice)] as const)}
            onChoose={(chosen) => onChange(withPart(rule, part, chosen))}
          />
        ) : (
          <input
            id={id}
            className="form-control form-control-sm font-monospace"
            required
            maxLength={LONGEST}
            placeholder={hint}
            value={value}
            onChange={(event) => onChange(withPart(rule, part, event.target.value))}
          />
        )}
        <button
          type="button"
          className="btn btn-sm btn-link btn-icon"
          aria-label={`Without ${label.toLowerCase()}`}
          onClick={() => onChange(withPart(rule, part, null))}
        >
          <Icon name="cross" size={14} />
        </button>
      </span>
    </>
  );
}
