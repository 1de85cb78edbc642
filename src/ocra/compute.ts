import { bytesToHex } from '@noble/hashes/utils.js';
import { ServiceError } from '../kernel/errors.ts';
import { type DataInputs, encodeDataInput } from './data-input.ts';
import { type KeyedHmac, keyedHmac } from './hashes.ts';
import type { OcraSuite } from './suite.ts';

/**
 * Computes the response of a token (RFC 6287 §5: `CryptoFunction(K, DataInput)`).
 * @returns four to ten decimal digits as the suite says, or the whole HMAC in lower-case hexadecimal (truncation 0)
 * @throws ServiceError 'data-input.invalid', naming the part that is missing or wrong
 */
export function computeResponse(suite: OcraSuite, key: Uint8Array, inputs: DataInputs): string {
  return responder(suite, key)(encodeDataInput(suite, inputs));
}

/**
 * Prepares the crypto function alone (RFC 6287 §5.2) for many data inputs.
 * @param prepareHmac computes the HMAC; in JavaScript by default
 * @returns a function from an encoded data input to the response, in the form of `computeResponse`
 * @throws ServiceError 'data-input.invalid' where the key is empty: anyone could compute such responses
 */
export function responder(
  suite: OcraSuite,
  key: Uint8Array,
  prepareHmac: KeyedHmac = keyedHmac,
): (dataInput: Uint8Array) => string {
  if (key.length === 0) {
    throw new ServiceError('data-input.invalid', 'No response can be computed: the key is empty.');
  }
  const mac = prepareHmac(suite.hash, key);
  return (dataInput) =>
    suite.truncation === 0 ? bytesToHex(mac(dataInput)) : truncate(mac(dataInput), suite.truncation);
}

/**
 * Truncates an HMAC (RFC 4226 §5.3): the low four bits of the last byte give the place of 31 bits; their last decimal
 * digits are the response. 31 bits have ten digits at most, so a response of ten is the number itself, padded.
 */
function truncate(mac: Uint8Array, digits: number): string {
  const view = new DataView(mac.buffer, mac.byteOffset, mac.byteLength);
  const offset = view.getUint8(mac.length - 1) & 0x0f;
  const number = view.getUint32(offset) & 0x7fff_ffff;
  return number.toString().padStart(10, '0').slice(-digits);
}
