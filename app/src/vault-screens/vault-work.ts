import { useState } from 'preact/hooks';
import { useTexts } from '../language/language.ts';
import { storageFailure } from '../vault/storage-failure.ts';
import type { UnlockOutcome } from '../vault/vault.ts';
import { vaultTexts } from './vault-texts.ts';

/** The message after work of the vault. */
export interface WorkMessage {
  readonly kind: 'success' | 'error';
  readonly text: string;
}

/** Work of the vault that a screen waits for. */
export interface VaultWork {
  readonly isBusy: boolean;
  readonly message: WorkMessage | undefined;
  /** Does the work and shows its message; an error is explained. */
  run(work: () => Promise<WorkMessage | undefined>): void;
}

export function useVaultWork(): VaultWork {
  const texts = useTexts(vaultTexts);
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState<WorkMessage>();
  const end = (shown: WorkMessage | undefined): void => {
    setBusy(false);
    setMessage(shown);
  };
  return {
    isBusy,
    message,
    run: (work) => {
      setBusy(true);
      setMessage(undefined);
      work().then(end, (error: unknown) => {
        end({ kind: 'error', text: texts.errors[storageFailure(error).code] });
      });
    },
  };
}

/** @returns a function that explains an outcome; undefined for `open` */
export function useOutcomeTexts(): (outcome: UnlockOutcome) => WorkMessage | undefined {
  const texts = useTexts(vaultTexts);
  return (outcome) => {
    switch (outcome.kind) {
      case 'open':
        return undefined;
      case 'wrong':
        return { kind: 'error', text: texts.wrongPin(outcome.attemptsLeft) };
      case 'too-early':
        return { kind: 'error', text: texts.wait(secondsUntil(outcome.retryAt)) };
      case 'wiped':
        return { kind: 'error', text: texts.wiped };
      case 'passkey':
        return { kind: 'error', text: texts.passkeyFaults[outcome.fault] };
    }
  };
}

/** @returns whole seconds until the instant, at least 0 */
export function secondsUntil(instant: number): number {
  return Math.max(0, Math.ceil((instant - Date.now()) / 1_000));
}
