import { useId } from "react";
import { Icon } from "../../../../components/Icon";
import type { PolicyRule } from "../../../../lib/wire";
import { type Condition, choicesOf, saidOf, VERDICT_WORDS, withCondition } from "../../fold/policy";
import { Press, Select } from "../controls";

/** Characters of a pattern, and of a note. */
const LONGEST = 500;

interface Props {
  rule: PolicyRule;
  conditions: readonly Condition[];
  number: number;
  last: boolean;
  onChange: (rule: PolicyRule) => void;
  /** Up (-1) or down (1). */
  onMove: (by: number) => void;
  onRemove: () => void;
}

/** One rule of a person's: what becomes of the calls that fit all that it says. */
export function PolicyRuleForm({ rule, conditions, number, last, onChange, onMove, onRemove }: Props) {
  const id = useId();
  const said = conditions.filter((one) => saidOf(rule.match, one) !== null);
  const left = conditions.filter((one) => !said.includes(one));
  const add = (name: string) => {
    const one = left.find((condition) => condition.name === name);
    if (one) onChange(withCondition(rule, one, choicesOf(one)?.[0]?.[0] ?? ""));
  };
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
        {said.map((one) => (
          <ConditionField key={one.name} rule={rule} condition={one} onChange={onChange} />
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
          value=""
          words={[["", "Only if …"], ...left.map(({ name, label }) => [name, label] as const)]}
          onChoose={add}
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

interface ConditionProps {
  rule: PolicyRule;
  condition: Condition;
  onChange: Props["onChange"];
}

function ConditionField({ rule, condition, onChange }: ConditionProps) {
  const id = useId();
  const { label, hint, help } = condition;
  const choices = choicesOf(condition);
  const value = saidOf(rule.match, condition) ?? "";
  const described = help ? `${id}-help` : undefined;
  const change = (typed: string | null) => onChange(withCondition(rule, condition, typed));
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="policy-part">
        {choices ? (
          <Select id={id} aria-describedby={described} value={value} words={choices} onChoose={change} />
        ) : (
          <input
            id={id}
            className="form-control form-control-sm font-monospace"
            required
            maxLength={LONGEST}
            placeholder={hint}
            aria-describedby={described}
            value={value}
            onChange={(event) => change(event.target.value)}
          />
        )}
        <button
          type="button"
          className="btn btn-sm btn-link btn-icon"
          aria-label={`Without ${label.toLowerCase()}`}
          onClick={() => change(null)}
        >
          <Icon name="cross" size={14} />
        </button>
      </span>
      {help && (
        <p id={described} className="form-text policy-help">
          {help}
        </p>
      )}
    </>
  );
}
