import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import {
  differences,
  expectedOf,
  parametersOf,
  type PolicyDraft,
  type StoredPolicy,
} from './policy-draft.ts';

/** A policy, and what its editor has read. */
interface PolicySave {
  readonly draft: PolicyDraft;
  /** Null: a new policy. */
  readonly read: StoredPolicy | null;
}

/** Another policy is stored than the editor has read. */
export class PolicyConflictError extends Error {
  /** Null: it was removed. */
  readonly stored: StoredPolicy | null;

  constructor(message: string, stored: StoredPolicy | null) {
    super(message);
    this.stored = stored;
  }
}

/** Stores a policy unless somebody else has changed it meanwhile, which fails with a PolicyConflictError. */
export function usePolicySave(): UseMutationResult<unknown, Error, PolicySave> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (save: PolicySave) => {
      try {
        await call('/admin/policy/set', { ...parametersOf(save.draft), expected: expectedOf(save.read) });
      } catch (error) {
        throw await explained(error, save);
      }
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['policies'], refetchType: 'none' }),
  });
}

/** @returns the policy of that name; null: there is none */
export async function storedPolicy(name: string, signal?: AbortSignal): Promise<StoredPolicy | null> {
  return (await call('/admin/policy/list', { name }, { signal }))[0] ?? null;
}

/** @returns the conflict, where there is one; else the error itself */
async function explained(error: unknown, { draft, read }: PolicySave): Promise<unknown> {
  if (!(error instanceof ServerFailure) || error.isAway || error.isSignedOut) {
    return error;
  }
  const name = draft.name.trim();
  const stored = await storedPolicy(name);
  const isSame = stored === null || read === null ? stored === read : differences(stored, read).length === 0;
  return isSame ? error : new PolicyConflictError(error.message, stored);
}
