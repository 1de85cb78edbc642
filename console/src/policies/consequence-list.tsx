import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { ConsequenceItems } from '../consequences/consequence-items.tsx';
import { useTexts } from '../language/language.ts';
import { policyTexts } from './policy-texts.ts';

export type PolicyPreview = ValueOf<'/system/policyConsequences'>;

interface ConsequenceListProps {
  readonly preview: Pick<PolicyPreview, 'consequences' | 'lock_out'>;
}

/** What follows from a change. */
export function ConsequenceList({
  preview: { consequences, lock_out: locksOut },
}: ConsequenceListProps): ReactNode {
  const t = useTexts(policyTexts);
  if (consequences.length === 0) {
    return <p>{t.nothingFollows}</p>;
  }
  return (
    <Alert
      color={locksOut ? 'red' : 'yellow'}
      title={locksOut ? t.lockOut : t.follows}
      role={locksOut ? 'alert' : 'status'}
    >
      <ConsequenceItems list={consequences} />
    </Alert>
  );
}
