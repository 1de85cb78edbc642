import { Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Loaded } from '../design/loaded.tsx';
import { useTexts } from '../language/language.ts';
import { ConsequenceList } from './consequence-list.tsx';
import { expectedOf, parametersOf, type StoredPolicy } from './policy-draft.ts';
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
  const queries = useQueryClient();
  const [isUnderstood, setUnderstood] = useState(false);
  const wanted = parametersOf({ ...policy, active: kind === 'enable' });
  const preview = useQuery({
    queryKey: ['policy-consequences', kind, policy],
    queryFn: ({ signal }) =>
      call('/system/policyConsequences', kind === 'remove' ? { name: policy.name, remove: '1' } : wanted, {
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
  });
  const change = useMutation({
    mutationFn: async () => {
      const expected = expectedOf(policy);
      await (kind === 'remove'
        ? call('/system/delPolicy', { name: policy.name, expected })
        : call('/system/setPolicy', { ...wanted, expected }));
    },
    onSuccess: onClose,
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['policies'] });
    },
  });
  const mustConfirm = preview.data?.lock_out === true;
  return (
    <ConfirmDialog
      isOpen
      title={t.doing[kind](policy.name)}
      action={t[kind]}
      isDangerous={kind === 'remove' || mustConfirm}
      isRunning={change.isPending}
      isDisabled={preview.data === undefined || (mustConfirm && !isUnderstood)}
      error={change.error}
      onConfirm={() => {
        change.mutate();
      }}
      onCancel={onClose}
    >
      <Loaded query={preview}>{(data) => <ConsequenceList preview={data} />}</Loaded>
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
