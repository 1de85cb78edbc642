import { VaultError, type VaultErrorCode } from './vault.ts';

const CODES: Readonly<Record<string, VaultErrorCode>> = {
  QuotaExceededError: 'storage-full',
  VersionError: 'storage-newer',
  SecurityError: 'storage-missing',
};

/** @returns the error of the vault that tells why the browser's storage failed */
export function storageFailure(cause: unknown): VaultError {
  if (cause instanceof VaultError) {
    return cause;
  }
  const name = cause instanceof Error ? cause.name : '';
  return new VaultError(CODES[name] ?? 'storage-failed', { cause });
}

/** @throws VaultError for every failure of the work */
export async function throwingVaultErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure(error);
  }
}
