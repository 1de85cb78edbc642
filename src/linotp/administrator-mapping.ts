import { readAdministratorName } from '../administrators/administrator.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Mapped } from './mapped.ts';
import { type SourceRow, textOf } from './linotp-source.ts';
import type { TextRepair } from './text-repair.ts';

export interface ImportedAdministrator {
  readonly name: string;
  /** SHA-crypt of glibc; a form that the server cannot verify matches no password. */
  readonly passwordHash: string;
}

/** The group of the local administrators of LinOTP 3. LinOTP 2 has none: its web server keeps them. */
const GROUP = 'LinOTP_local_admins';
const VERIFIABLE = /^\$[56]\$(?:rounds=\d{1,9}\$)?[^$]{1,16}\$[./0-9A-Za-z]+$/;

/** @returns the local administrators */
export function mapAdministrators(
  users: readonly SourceRow[],
  repair: TextRepair,
): readonly Mapped<ImportedAdministrator>[] {
  return users.filter((row) => textOf(row, 'groupid') === GROUP).map((row) => mapAdministrator(row, repair));
}

function mapAdministrator(source: SourceRow, repair: TextRepair): Mapped<ImportedAdministrator> {
  const login = repair(textOf(source, 'username'));
  const row = `imported_user ${repair(textOf(source, 'userid'))}`;
  const passwordHash = textOf(source, 'password');
  try {
    const name = readAdministratorName(login);
    const reasons = VERIFIABLE.test(passwordHash)
      ? []
      : ['the hash of the password has an unknown form: set a new one with `tankeeper admin password`'];
    return { name, row, value: { name, passwordHash }, reasons };
  } catch (error) {
    if (isServiceError(error)) {
      return { name: login, row, value: undefined, reasons: [error.message] };
    }
    throw error;
  }
}
