import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Switch } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { judgePin } from '../vault/pin-strength.ts';
import { pinTexts } from './pin-texts.ts';
import { vaultTexts } from './vault-texts.ts';

/** A new PIN while it is typed twice. */
export interface NewPin {
  readonly pin: string;
  readonly repeated: string;
}

export const EMPTY_PIN: NewPin = { pin: '', repeated: '' };

/** @returns true if the PIN may be set */
export function isReady({ pin, repeated }: NewPin): boolean {
  return pin === repeated && judgePin(pin).strength !== 'refused';
}

/** Two fields for a new PIN, and what is to be said of it. */
export function NewPinFields({
  value,
  onValue,
}: {
  value: NewPin;
  onValue: (value: NewPin) => void;
}): JSX.Element {
  const texts = useTexts(pinTexts);
  const { pinReasons, notTheSame } = useTexts(vaultTexts);
  const [hasLetters, setLetters] = useState(false);
  const { pin, repeated } = value;
  const { strength, reason } = judgePin(pin);
  const field = { type: 'password', inputMode: hasLetters ? 'text' : 'numeric' } as const;
  const isLong = pin.length >= 4;
  return (
    <>
      <Field
        {...field}
        label={texts.newPin}
        hint={texts.newPinHint}
        autocomplete="new-password"
        value={pin}
        error={strength === 'refused' && isLong ? pinReasons[reason] : undefined}
        onValue={(typed) => {
          onValue({ pin: typed, repeated });
        }}
      />
      {strength === 'weak' && <Notice kind="warning">{pinReasons[reason]}</Notice>}
      <Field
        {...field}
        label={texts.repeatPin}
        autocomplete="new-password"
        value={repeated}
        error={repeated.length >= pin.length && repeated !== pin ? notTheSame : undefined}
        onValue={(typed) => {
          onValue({ pin, repeated: typed });
        }}
      />
      <Switch label={texts.letters} checked={hasLetters} onChecked={setLetters} />
    </>
  );
}
