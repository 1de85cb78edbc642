import { hashKey, keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import type { PolicyPreview } from './policy-consequences.tsx';
import {
  NEW_POLICY,
  parametersOf,
  type PolicyDraft,
  type StoredPolicy,
  type TextField,
  withEntry,
} from './policy-draft.ts';
import { PolicyConflictError, usePolicySave } from './use-policy-save.ts';

/** Milliseconds after the last key until the server checks the draft. */
const TYPING_MS = 300;

/** A policy being edited, and the ways to store it. */
export interface PolicyEditing {
  readonly draft: PolicyDraft;
  readonly setDraft: (draft: PolicyDraft) => void;
  /** Notes whether what is typed is a draft: otherwise `draft` is that of before. */
  readonly setReadable: (isReadable: boolean) => void;
  /** Changes when another draft takes the place of what was typed. */
  readonly revision: number;
  /** The server's check; its data may be those of the draft before. */
  readonly preview: UseQueryResult<PolicyPreview>;
  /** True if `preview` is that of what is typed now. */
  readonly isChecked: boolean;
  /** The problem of a field, unless nothing was typed there yet. */
  readonly errorOf: (field: TextField) => string | undefined;
  /** True if storing was tried and there are problems. */
  readonly isRefused: boolean;
  /** True while the consequences wait for a confirmation. */
  readonly isAsking: boolean;
  readonly isSaving: boolean;
  /** The policy that somebody else has stored meanwhile. */
  readonly conflict: PolicyConflictError | undefined;
  /** Any other failure of storing. */
  readonly failure: Error | null;
  /** Stores the draft, or asks first where something follows. */
  readonly submit: () => void;
  readonly confirm: () => void;
  readonly cancel: () => void;
  /** Goes on with what was typed, in place of what somebody else has stored. */
  readonly keepMine: () => void;
  /** Goes on with what somebody else has stored. */
  readonly takeTheirs: () => void;
}

/**
 * @param stored the policy that was read; null: a new one
 * @param added an action with which the editing begins; undefined: with the policy as it is
 */
export function usePolicyEditing(stored: StoredPolicy | null, added?: string): PolicyEditing {
  const [, navigate] = useLocation();
  const [read, setRead] = useState(stored);
  const { isReadable, replace, ...typed } = useTypedDraft(begun(stored ?? NEW_POLICY, added));
  const { draft } = typed;
  const [isTried, setTried] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { preview, isChecked: isDraftChecked } = usePreview(draft);
  const isChecked = isReadable && isDraftChecked;
  const save = usePolicySave();
  const problems = preview.data?.problems ?? [];
  const conflict = save.error instanceof PolicyConflictError ? save.error : undefined;
  const store = (over: StoredPolicy | null): void => {
    setAsking(false);
    const leave = (): void => {
      navigate('/policies');
    };
    // Not called once the person is elsewhere.
    save.mutate({ draft, read: over }, { onSuccess: leave });
  };
  return {
    ...typed,
    preview,
    isChecked,
    isAsking,
    conflict,
    errorOf: (field) =>
      isTried || draft[field] !== '' ? problems.find((one) => one.field === field)?.message : undefined,
    isRefused: isTried && problems.length > 0,
    isSaving: save.isPending,
    failure: conflict === undefined ? save.error : null,
    submit: () => {
      setTried(true);
      if (!isChecked || preview.data === undefined || problems.length > 0) {
        return;
      }
      if (preview.data.consequences.length === 0) {
        store(read);
      } else {
        setAsking(true);
      }
    },
    confirm: () => {
      store(read);
    },
    cancel: () => {
      setAsking(false);
    },
    keepMine: () => {
      const over = conflict?.stored ?? null;
      setRead(over);
      store(over);
    },
    takeTheirs: () => {
      setRead(conflict?.stored ?? null);
      replace(conflict?.stored ?? draft);
      save.reset();
    },
  };
}

function begun(policy: PolicyDraft, added: string | undefined): PolicyDraft {
  return added === undefined ? policy : { ...policy, action: withEntry(policy.action, added, true) };
}

/** @returns the typed draft, and a way to put another draft in its place */
function useTypedDraft(first: PolicyDraft): Pick<
  PolicyEditing,
  'draft' | 'setDraft' | 'setReadable' | 'revision'
> & {
  readonly isReadable: boolean;
  readonly replace: (draft: PolicyDraft) => void;
} {
  const [draft, setDraft] = useState(first);
  const [isReadable, setReadable] = useState(true);
  const [revision, setRevision] = useState(0);
  const replace = (other: PolicyDraft): void => {
    setDraft(other);
    setReadable(true);
    setRevision(revision + 1);
  };
  return { draft, setDraft, isReadable, setReadable, revision, replace };
}

/** @returns the server's check of a draft, once nothing was typed for a moment */
function usePreview(draft: PolicyDraft): Pick<PolicyEditing, 'preview' | 'isChecked'> {
  const [settled, setSettled] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(draft);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [draft]);
  const preview = useQuery<PolicyPreview>({
    queryKey: ['policy-preview', settled],
    queryFn: ({ signal }) => call('/admin/policy/check', parametersOf(settled), { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  // A submit tells of what stands in the fields again, which makes an equal draft.
  const isSettled = hashKey([settled]) === hashKey([draft]);
  return { preview, isChecked: isSettled && preview.isSuccess && !preview.isPlaceholderData };
}
