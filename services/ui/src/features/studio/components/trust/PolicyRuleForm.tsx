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
  type Verdict,
  withPart,
} from "../../fold/policy";

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
        <select
          id={`${id}-verdict`}
          className="form-select form-select-sm"
          value={rule.verdict}
          onChange={(event) => onChange({ ...rule, verdict: event.target.value as Verdict })}
        >
          {Object.entries(VERDICT_WORDS).map(([verdict, words]) => (
            <option key={verdict} value={verdict}>
              {words}
            </option>
          ))}
        </select>
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
        <select
          className="form-select form-select-sm policy-add"
          aria-label={`One more condition of rule ${number}`}
          value=""
          onChange={(event) => onChange(withNew(rule, event.target.value as Part))}
        >
          <option value="">Only if …</option>
          {left.map((part) => (
            <option key={part} value={part}>
              {PARTS[part].label}
            </option>
          ))}
        </select>
        <Small words="Up" about={number} disabled={number === 1} onPress={() => onMove(-1)} />
        <Small words="Down" about={number} disabled={last} onPress={() => onMove(1)} />
        <Small words="Remove" about={number} onPress={onRemove} />
      </div>
    </li>
  );
}

function withNew(rule: PolicyRule, part: Part): PolicyRule {
  return withPart(rule, part, PARTS[part].choices?.[0] ?? "");
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
          <select
            id={id}
            className="form-select form-select-sm"
            value={value}
            onChange={(event) => onChange(withPart(rule, part, event.target.value))}
          >
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choiceWords(choice)}
              </option>
            ))}
          </select>
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

function Small(props: { words: string; about: number; disabled?: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      className="btn btn-sm btn-outline-secondary"
      disabled={props.disabled}
      onClick={props.onPress}
    >
      {props.words}
      <span className="visually-hidden"> rule {props.about}</span>
    </button>
  );
}
