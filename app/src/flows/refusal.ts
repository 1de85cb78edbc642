import { type ErrorCode, isServiceError } from '../../../src/kernel/errors.ts';
import type { QrTanFault } from '../../../src/ocra/qrtan-url.ts';
import { VaultError } from '../vault/vault.ts';

/** The reason why a code is refused, or why the app cannot go on with it. */
export type Refusal =
  | QrTanFault
  | 'suite'
  | 'question'
  | 'activation-code'
  | 'callback-url'
  | 'counter'
  | 'counter-used'
  | 'storage-full'
  | 'storage-failed'
  | 'locked'
  | 'unexpected';

/** The reasons of errors that need no look at their payload. */
const BY_CODE: Partial<Record<ErrorCode, Refusal>> = {
  'suite.invalid': 'suite',
  'activation-code.invalid': 'activation-code',
  'callback-url.refused': 'callback-url',
  'token.counter-exhausted': 'counter',
};

/** @returns the reason by which the app's texts explain an error */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof VaultError) {
    return vaultRefusal(error);
  }
  if (isServiceError(error, 'qrtan-url.invalid')) {
    return error.payload.fault ?? 'malformed';
  }
  if (isServiceError(error, 'data-input.invalid')) {
    return error.payload.question === undefined ? 'suite' : 'question';
  }
  return (isServiceError(error) ? BY_CODE[error.code] : undefined) ?? 'unexpected';
}

function vaultRefusal({ code }: VaultError): Refusal {
  switch (code) {
    case 'storage-full':
    case 'locked':
    case 'counter-used':
      return code;
    default:
      return 'storage-failed';
  }
}
