import type { ReactNode } from 'react';
import { SecretField } from '../design/secret-field.tsx';
import { useTexts } from '../language/language.ts';
import { tokenTexts } from './token-texts.ts';

/** A new PIN as it is being typed, twice. */
export interface TypedPin {
  readonly pin: string;
  readonly again: string;
}

export const NO_PIN: TypedPin = { pin: '', again: '' };

interface NewPinFieldsProps {
  readonly label: string;
  readonly isOptional?: boolean;
  readonly isFirst?: boolean;
  readonly value: TypedPin;
  readonly onChange: (value: TypedPin) => void;
}

/** The fields of a new token PIN: nobody can read it later, so it is typed twice. */
export function NewPinFields(props: NewPinFieldsProps): ReactNode {
  const { label, isOptional = false, isFirst = false, value, onChange } = props;
  const t = useTexts(tokenTexts);
  const { pin, again } = value;
  return (
    <>
      <SecretField
        label={label}
        description={t.pinHelp}
        autoComplete="off"
        isOptional={isOptional}
        isFirst={isFirst}
        value={pin}
        onChange={(typed) => {
          onChange({ pin: typed, again });
        }}
      />
      <SecretField
        label={t.pinAgain}
        autoComplete="off"
        isOptional={isOptional && pin === ''}
        value={again}
        error={again !== '' && again !== pin ? t.pinsDiffer : undefined}
        onChange={(typed) => {
          onChange({ pin, again: typed });
        }}
      />
    </>
  );
}
