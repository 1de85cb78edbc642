import { ServiceError } from '../kernel/errors.ts';
import type { QrTanFault } from '../ocra/qrtan-url.ts';

/** @returns the refusal of a code that could be read */
export function refusedCode(fault: QrTanFault, why: string): ServiceError<'qrtan-url.invalid'> {
  return new ServiceError('qrtan-url.invalid', `wrong QR code: ${why}`, { fault });
}
