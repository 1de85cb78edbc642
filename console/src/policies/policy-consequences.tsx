import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { ConsequenceList } from '../consequences/consequence-list.tsx';
import { useTexts } from '../language/language.ts';
import { policyTexts } from './policy-texts.ts';

export type PolicyPreview = ValueOf<'/system/policyConsequences'>;

interface PolicyConsequencesProps {
  readonly preview: Pick<PolicyPreview, 'consequences' | 'lock_out'>;
}

/** The consequences of a change of a policy. */
export function PolicyConsequences({ preview }: PolicyConsequencesProps): ReactNode {
  const t = useTexts(policyTexts);
  return (
    <ConsequenceList list={preview.consequences} locksOut={preview.lock_out} nothing={t.nothingFollows} />
  );
}
