import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface SecretFieldProps {
  readonly label: string;
  /** The label of the button that shows the text. */
  readonly show: string;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A field for a password. */
export function SecretField({
  label,
  show,
  autoComplete,
  value,
  error,
  onChange,
}: SecretFieldProps): ReactNode {
  return (
    <PasswordInput
      label={label}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      value={value}
      error={error}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
      visibilityToggleButtonProps={{ 'aria-label': show }}
    />
  );
}
