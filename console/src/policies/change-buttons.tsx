import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import type { PolicyChange } from './change-dialog.tsx';
import classes from './policies.module.css';
import type { StoredPolicy } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

/** Buttons that switch a policy on or off, and remove it. */
export function ChangeButtons({
  policy,
  onChange,
}: {
  readonly policy: StoredPolicy;
  readonly onChange: (change: PolicyChange) => void;
}): ReactNode {
  const t = useTexts(policyTexts);
  const toggle = policy.active ? 'disable' : 'enable';
  return (
    <div className={classes.buttons}>
      {([toggle, 'remove'] as const).map((kind) => (
        <Button
          key={kind}
          size="compact-sm"
          variant="default"
          aria-label={t.doing[kind](policy.name)}
          onClick={() => {
            onChange({ kind, policy });
          }}
        >
          {t[kind]}
        </Button>
      ))}
    </div>
  );
}
