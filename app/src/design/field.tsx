import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'password';
  readonly inputMode?: 'text' | 'numeric';
  readonly autocomplete?: string;
  /** Characters that the server, or the app, takes. */
  readonly maxLength?: number;
  readonly hint?: string;
  readonly error?: string | undefined;
}

/** A labelled input line with its hint and its error. */
export function Field({
  label,
  value,
  onValue,
  type = 'text',
  inputMode = 'text',
  autocomplete = 'off',
  maxLength,
  hint,
  error,
}: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(type === 'password' ? { type: 'password' } : { type: 'text' })}
        inputMode={inputMode}
        autocomplete={autocomplete}
        maxLength={maxLength}
        autocapitalize="off"
        spellcheck={false}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        onInput={(event) => {
          onValue(event.currentTarget.value);
        }}
      />
      <p class="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="field-error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  );
}
