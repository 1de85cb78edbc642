import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Loaded } from '../design/loaded.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { useTexts } from '../language/language.ts';
import { locksOut, PolicyConsequences } from './policy-consequences.tsx';
import { expectedOf, type StoredPolicy } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

/** A change of a policy from the table. */
export interface PolicyChange {
  readonly kind: 'enable' | 'disable' | 'remove';
  readonly policy: StoredPolicy;
}

interface ChangeDialogProps {
  readonly change: PolicyChange;
  readonly onClose: () => void;
}

/** Shows what follows from a change, and makes it on the policy as it was read. */
export function ChangeDialog({ change: { kind, policy }, onClose }: ChangeDialogProps): ReactNode {
  const t = useTexts(policyTexts);
  const [isUnderstood, setUnderstood] = useState(false);
  const { name } = policy;
  const preview = useQuery({
    queryKey: ['policy-consequences', kind, policy],
    queryFn: ({ signal }) => call(`/admin/policy/${kind}/consequences`, { name }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const change = useDialogAct({
    title: t.doing[kind](name),
    act: () => call(`/admin/policy/${kind}`, { name, expected: expectedOf(policy) }),
    changes: ['policies'],
    onDone: onClose,
  });
  const mustConfirm = preview.data !== undefined && locksOut(preview.data);
  return (
    <ConfirmDialog
      title={t.doing[kind](name)}
      action={t[kind]}
      isDangerous={kind === 'remove' || mustConfirm}
      isRunning={change.isPending}
      isDisabled={preview.data === undefined || (mustConfirm && !isUnderstood)}
      error={change.error}
      onConfirm={change.run}
      onCancel={onClose}
    >
      <Loaded query={preview}>{(data) => <PolicyConsequences consequences={data} />}</Loaded>
      {mustConfirm && (
        <Checkbox
          mt="md"
          label={t.understood}
          checked={isUnderstood}
          onChange={(event) => {
            setUnderstood(event.currentTarget.checked);
          }}
        />
      )}
    </ConfirmDialog>
  );
}
