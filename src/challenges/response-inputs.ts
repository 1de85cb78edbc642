import type { Token } from '../tokens/token.ts';
import type { Vault } from '../keys/vault.ts';
import type { OcraSettings } from './ocra-settings.ts';
import type { TokenKey } from './token-key.ts';
import type { ResponseCheck } from '../ocra/verify.ts';

/** @returns the inputs of a check that depend on token and settings: all but question and response */
export function responseInputs(
  vault: Vault,
  { suite, key }: TokenKey,
  settings: Pick<OcraSettings, 'timeWindow' | 'timeShift'>,
  token: Token,
  now: Date,
): Omit<ResponseCheck, 'question' | 'response'> {
  const { ocraPin } = token.secrets;
  return {
    suite,
    key,
    pin: ocraPin === null ? '' : vault.open(ocraPin, 'ocra-pin', token.serial).toString('utf8'),
    counter: token.counter,
    counterWindow: token.counterWindow,
    now,
    timeWindow: settings.timeWindow,
    timeShift: settings.timeShift + token.timeShift,
  };
}
