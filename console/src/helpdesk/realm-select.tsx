import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { useRealmsWith } from '../session/use-realms-with.ts';
import { helpdeskTexts } from './helpdesk-texts.ts';

interface RealmSelectProps {
  /** The action of the scope admin: offered are the realms in which the caller has it. */
  readonly right: string;
  /** The choice of no realm, whose value is empty. */
  readonly none: string;
  /** Further choices, after the realms. */
  readonly others?: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (realm: string) => void;
}

/** Chooses a realm. */
export function RealmSelect({ right, none, others = [], value, onChange }: RealmSelectProps): ReactNode {
  const names = useTexts(helpdeskTexts);
  const realms = useRealmsWith(right);
  // A realm that was chosen before may be gone.
  const known = value === '' || realms.includes(value) || others.some((one) => one.value === value);
  return (
    <NativeSelect
      label={names.realm}
      data={[{ value: '', label: none }, ...(known ? [] : [value]), ...realms, ...others]}
      value={value}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
