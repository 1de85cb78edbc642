import { createHmac } from 'node:crypto';
import { ServiceError } from '../kernel/errors.ts';
import { type DataInputs, encodeDataInput } from './data-input.ts';
import type { OcraSuite } from './suite.ts';

/**
 * Computes the response that a token gives (RFC 6287 §5: `CryptoFunction(K, DataInput)`).
 * @returns four to ten decimal digits as the suite says, or the whole HMAC in lower-case hexadecimal (truncation 0)
 * @throws ServiceError 'data-input.invalid', naming the part that is missing or wrong
 */
export function computeResponse(suite: OcraSuite, key: Uint8Array, inputs: DataInputs): string {
  return respond(suite, key, encodeDataInput(suite, inputs));
}

/**
 * The crypto function alone, over a data input that is already encoded (RFC 6287 §5.2).
 * @returns as `computeResponse`
 * @throws ServiceError 'data-input.invalid' where the key is empty: anyone could compute such responses
 */
export function respond(suite: OcraSuite, key: Uint8Array, dataInput: Uint8Array): string {
  if (key.length === 0) {
    throw new ServiceError('data-input.invalid', 'No response can be computed: the key is empty.');
  }
  const mac = createHmac(suite.hash, key).update(dataInput).digest();
  return suite.truncation === 0 ? mac.toString('hex') : truncate(mac, suite.truncation);
}

/**
 * RFC 4226 §5.3: the low four bits of the last byte say where 31 bits are read; their last decimal digits are the
 * response. 31 bits have ten digits at most, so a response of ten is the number itself, padded.
 */
function truncate(mac: Buffer, digits: number): string {
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return number.toString().padStart(10, '0').slice(-digits);
}
