import { isServiceError } from '../../../src/kernel/errors.ts';
import { buildResponseRequest } from '../../../src/device/response-request.ts';

/**
 * The destination of a response. `typed`: the digits are shown to be typed elsewhere, as the code names no address, or
 * one that pages in a secure context cannot reach (http).
 */
export type Destination =
  | { readonly kind: 'sent'; readonly host: string }
  | { readonly kind: 'typed'; readonly why: 'no-address' | 'insecure-address' };

/** Responses go to other machines encrypted only. */
export const ADDRESS_RULES = { insecure: 'loopback' } as const;

/**
 * @param callbackUrl of the code; empty where it names none
 * @throws ServiceError 'callback-url.refused' for what is no web address: `javascript:`, `data:`, broken ones
 */
export function destinationOf(callbackUrl: string): Destination {
  if (callbackUrl === '') {
    return { kind: 'typed', why: 'no-address' };
  }
  try {
    buildResponseRequest({ callbackUrl, transactionId: '', response: '' }, ADDRESS_RULES);
    return { kind: 'sent', host: new URL(callbackUrl).host };
  } catch (error) {
    if (isServiceError(error, 'callback-url.refused') && error.payload.fault === 'insecure') {
      return { kind: 'typed', why: 'insecure-address' };
    }
    throw error;
  }
}
