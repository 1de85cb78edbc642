import { isServiceError, type QrTanFault } from '../../../src/kernel/errors.ts';
import { VaultError } from '../vault/vault.ts';

/** Why a code is refused, or why the app cannot go on with it. */
export type Refusal =
  | QrTanFault
  | 'suite'
  | 'question'
  | 'activation-code'
  | 'callback-url'
  | 'counter'
  | 'storage-full'
  | 'storage-failed'
  | 'locked'
  | 'unexpected';

/** @returns the reason by which the app's texts explain an error */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof VaultError) {
    return vaultRefusal(error);
  }
  if (!isServiceError(error)) {
    return 'unexpected';
  }
  switch (error.code) {
    case 'qrtan-url.invalid':
      return error.payload.fault ?? 'malformed';
    case 'suite.invalid':
      return 'suite';
    case 'data-input.invalid':
      return error.payload.question === undefined ? 'suite' : 'question';
    case 'activation-code.invalid':
      return 'activation-code';
    case 'callback-url.refused':
      return 'callback-url';
    case 'token.counter-exhausted':
      return 'counter';
    default:
      return 'unexpected';
  }
}

function vaultRefusal({ code }: VaultError): Refusal {
  switch (code) {
    case 'storage-full':
    case 'locked':
      return code;
    default:
      return 'storage-failed';
  }
}
