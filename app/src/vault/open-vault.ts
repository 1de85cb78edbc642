import { BrowserVault, type VaultEnvironment } from './browser-vault.ts';
import type { ProtectedVault } from './vault.ts';

/**
 * Opens the vault of this browser profile. Never rejects: where the browser keeps no data, the state is `unavailable`,
 * and `problem` says why.
 * @param differences the differences from the browser's own
 */
export async function openVault(differences: Partial<VaultEnvironment> = {}): Promise<ProtectedVault> {
  const vault = new BrowserVault({ ...browserEnvironment(), ...differences });
  await vault.start();
  return vault;
}

function browserEnvironment(): VaultEnvironment {
  // Absent in contexts that are not secure, and in older browsers.
  const { credentials, storage } = navigator as Partial<Pick<Navigator, 'credentials' | 'storage'>>;
  return {
    name: 'tankeeper',
    now: () => Date.now(),
    stopwatch: () => performance.now(),
    page: window,
    credentials,
    storage,
  };
}
