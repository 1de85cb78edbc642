import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { ConsequenceList } from '../consequences/consequence-list.tsx';
import { useTexts } from '../language/language.ts';
import { policyTexts } from './policy-texts.ts';

export type PolicyPreview = ValueOf<'/admin/policy/check'>;

interface PolicyConsequencesProps {
  readonly consequences: PolicyPreview['consequences'];
}

/** @returns true: nobody can change policies afterwards, or not the caller */
export function locksOut(consequences: PolicyPreview['consequences']): boolean {
  return consequences.some(
    ({ code, rights }) =>
      code === 'policy.lock-out' || (code === 'policy.own' && rights?.includes('system:write') === true),
  );
}

/** The consequences of a change of a policy. */
export function PolicyConsequences({ consequences }: PolicyConsequencesProps): ReactNode {
  const t = useTexts(policyTexts);
  return <ConsequenceList list={consequences} locksOut={locksOut(consequences)} nothing={t.nothingFollows} />;
}
