import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onValue: (value: Value) => void;
}

/** One of a few values, all of which are seen. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onValue,
}: ChoiceProps<Value>): JSX.Element {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="choice-options">
        {options.map(([option, text]) => (
          <label class="choice-option" key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => {
                onValue(option);
              }}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
}

/** Something that is on or off. */
export function Switch({ label, checked, onChecked }: SwitchProps): JSX.Element {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => {
          onChecked(event.currentTarget.checked);
        }}
      />
      {label}
    </label>
  );
}
