import { ServiceError } from '../kernel/errors.ts';

/** @param reason a clause: `the file is no backup of tankeeper` */
export function backupInvalid(reason: string, cause?: unknown): ServiceError<'backup.invalid'> {
  return new ServiceError('backup.invalid', `The backup cannot be used: ${reason}`, { cause });
}
