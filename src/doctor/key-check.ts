import { isServiceError } from '../kernel/errors.ts';
import type { KeyFileAccess } from '../keys/key-file.ts';
import { type KeyState, neededKeys, type RegisteredKey, type SecretVault } from '../keys/vault.ts';
import { type Finding, findingOf } from './examination.ts';

const WRITABLE_BY_OTHERS = 0o022;
/** A folder such as /tmp, in which only its owner may replace a file. */
const STICKY = 0o1000;
/** Days after which a change of keys should have come to its end. */
const ROTATION_DAYS = 7;
const DAY_MS = 86_400_000;

export function checkKeyFile({
  path,
  mode,
  isReadableByOthers,
  folderMode,
}: KeyFileAccess): readonly Finding[] {
  const findings: Finding[] = [];
  if (mode !== undefined && (mode & WRITABLE_BY_OTHERS) !== 0) {
    const text = `others may write the key file ${path} (mode ${octal(mode)}): servers refuse it`;
    findings.push(findingOf('error', 'key.file-writable', text, `chmod go-w ${path}`));
  }
  if (mode !== undefined && isReadableByOthers) {
    const text = `others may read the key file ${path} (mode ${octal(mode)}), and with the database every secret`;
    findings.push(
      findingOf(
        'warning',
        'key.file-readable',
        text,
        `chmod go-r ${path}; for a mounted Secret, defaultMode: 0440`,
      ),
    );
  }
  if (folderMode !== undefined && (folderMode & WRITABLE_BY_OTHERS) !== 0 && (folderMode & STICKY) === 0) {
    const text = `others may write the folder of the key file ${path} (mode ${octal(folderMode)}), and replace or remove the file`;
    findings.push(
      findingOf('warning', 'key.folder-writable', text, `chmod go-w ${path.replace(/[^/\\]+$/, '')}`),
    );
  }
  return findings;
}

/** @returns findings about the keys of the database that are not used as they should be, at a time */
export function checkKeyAges(keys: readonly KeyState[], at: Date): readonly Finding[] {
  const current = keys.find(({ isCurrent }) => isCurrent);
  const inUse = keys.filter(({ retiredAt, isCurrent }) => retiredAt === undefined && !isCurrent);
  return inUse.map(({ keyId, addedAt = at, currentSince }) => {
    const isNew = currentSince === undefined;
    const since = isNew ? addedAt : (current?.currentSince ?? currentSince);
    const days = Math.floor((at.getTime() - since.getTime()) / DAY_MS);
    const severity = days >= ROTATION_DAYS ? 'warning' : 'note';
    const age = days === 1 ? '1 day' : `${days} days`;
    return isNew
      ? findingOf(
          severity,
          'key.never-used',
          `the key ${keyId} was added ${age} ago and seals nothing yet`,
          '`tankeeper keys rotate`',
        )
      : findingOf(
          severity,
          'key.rotation',
          `the former key ${keyId} is not retired, ${age} after another key took its place`,
          `\`tankeeper keys rotate\` seals anew what is left, then \`tankeeper keys retire ${keyId}\``,
        );
  });
}

/** @returns the finding about keys that this server has not read since they were added, or became current */
export function checkReadKeys(
  { keyIds, currentKeyId }: Pick<SecretVault, 'keyIds' | 'currentKeyId'>,
  keys: readonly KeyState[],
): readonly Finding[] {
  const needed = keys.filter(({ retiredAt }) => retiredAt === undefined);
  const missing = needed.find(({ keyId }) => !keyIds.includes(keyId));
  const current = needed.find(({ isCurrent }) => isCurrent);
  const remedy = 'bring the key file to every machine, and send SIGHUP to every server';
  if (missing !== undefined) {
    const text = `this server has not read the key ${missing.keyId}, and opens nothing that is sealed with it`;
    return [findingOf('error', 'key.unread', text, remedy)];
  }
  return current === undefined || current.keyId === currentKeyId
    ? []
    : [
        findingOf(
          'warning',
          'key.unread',
          `this server still seals with the former key ${currentKeyId}`,
          remedy,
        ),
      ];
}

/** @returns notes about keys of the file that the database does not know */
export function checkUnknownKeys(
  { path, keyIds = [] }: KeyFileAccess,
  registered: readonly Pick<RegisteredKey, 'keyId'>[],
): readonly Finding[] {
  return keyIds
    .filter((keyId) => registered.every((key) => key.keyId !== keyId))
    .map((keyId) =>
      findingOf(
        'note',
        'key.unregistered',
        `the key file ${path} holds the key ${keyId}, which the database does not know`,
        '`tankeeper keys add` registers it; else remove its line from the file',
      ),
    );
}

/** @returns the note about a database without keys, as it is before the first start of a server */
export function noKeyYet(): Finding {
  return findingOf(
    'note',
    'key.none',
    'the database has no encryption key yet',
    'the first start of the server makes it, or takes the one that ENCRYPTION_KEY_FILE names',
  );
}

/**
 * @param error the reason why the keys of the database could not be opened
 * @param registered the keys of the database
 * @param file undefined: a security module keeps the keys
 * @returns the finding
 * @throws the error if it is about something else
 */
export function closedKeys(
  error: unknown,
  registered: readonly RegisteredKey[],
  file: KeyFileAccess | undefined,
): Finding {
  if (isServiceError(error, 'security-module.unavailable')) {
    const text = error.detail === undefined ? error.message : `${error.message} (${error.detail})`;
    return findingOf(
      'error',
      'key.module',
      text,
      'PKCS11_LIBRARY, PKCS11_TOKEN, PKCS11_PIN_FILE and PKCS11_KEY name the module that wrapped the key',
    );
  }
  if (!isServiceError(error, 'key.unavailable')) {
    throw error;
  }
  const ids = neededKeys(registered).map(({ keyId }) => keyId);
  return file !== undefined && file.mode === undefined
    ? findingOf(
        'error',
        'key.missing',
        error.message,
        `restore ${file.path} from its safe copy, or set ENCRYPTION_KEY_FILE to the file with the key ${ids.join(', ')}`,
      )
    : findingOf(
        'error',
        'key.mismatch',
        error.message,
        `set ENCRYPTION_KEY_FILE to the file with the key ${ids.join(', ')}, or DATABASE_URL to the database of this key`,
      );
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8);
}
