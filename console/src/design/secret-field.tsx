import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';

interface SecretFieldProps {
  readonly label: string;
  readonly description?: string;
  /** `off`: not a password of the person at the page. */
  readonly autoComplete: 'current-password' | 'new-password' | 'off';
  readonly isOptional?: boolean;
  /** True: a dialog begins with it. */
  readonly isFirst?: boolean;
  readonly isDisabled?: boolean;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A field for a password or PIN, with a button that shows what was typed. */
export function SecretField(props: SecretFieldProps): ReactNode {
  const { label, description, autoComplete, isOptional = false, isFirst = false } = props;
  const { isDisabled = false, value, error } = props;
  const t = useTexts(designTexts);
  return (
    <PasswordInput
      label={label}
      description={description}
      autoComplete={autoComplete}
      required={!isOptional}
      withAsterisk={false}
      disabled={isDisabled}
      data-autofocus={isFirst || undefined}
      value={value}
      error={error}
      onChange={(event) => {
        props.onChange(event.currentTarget.value);
      }}
      visibilityToggleButtonProps={{ 'aria-label': t.showSecret }}
    />
  );
}
