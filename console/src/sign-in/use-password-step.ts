import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { RequestedFactor } from './second-step.tsx';
import type { PasskeyOptions } from './web-authn.ts';

/** An answer to a right password that asks for a second factor. */
type FactorAnswer =
  | { readonly second_factor: 'token' | 'code' }
  | { readonly second_factor: 'passkey'; readonly options: PasskeyOptions };

/** @param detail has the content of the QR code; an answer with `passkey` or `code` has none */
export function requestedFactor(answer: FactorAnswer, detail: { readonly data: string }): RequestedFactor {
  switch (answer.second_factor) {
    case 'passkey':
      return { kind: 'passkey', options: answer.options };
    case 'code':
      return { kind: 'code' };
    case 'token':
      return { kind: 'token', url: detail.data };
  }
}

/** The acts of a form with a password. */
interface PasswordStepActs {
  /**
   * @returns undefined: the password was enough
   * @throws ServerFailure
   */
  readonly begin: (password: string) => Promise<RequestedFactor | undefined>;
  readonly onFactorRequested: (factor: RequestedFactor) => void;
  readonly onDone: () => unknown;
}

/** The first step of a sign-in or a confirmation: the password, which is forgotten with the answer. */
export function usePasswordStep({ begin, onFactorRequested, onDone }: PasswordStepActs): {
  readonly password: string;
  readonly setPassword: (password: string) => void;
  readonly submit: (event: SyntheticEvent) => void;
  readonly error: Error | null;
  readonly isPending: boolean;
} {
  const [password, setPassword] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => begin(password),
    onSuccess: (factor) => {
      if (factor !== undefined) {
        onFactorRequested(factor);
        return undefined;
      }
      return onDone();
    },
    onSettled: () => {
      setPassword('');
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    mutate();
  };
  return { password, setPassword, submit, error, isPending };
}
