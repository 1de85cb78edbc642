import { systemRandom } from '../../../src/kernel/system-random.ts';
import { KeyFileKeys } from '../../../src/keys/key-file.ts';
import { LiveVault } from '../../../src/keys/live-vault.ts';
import { SecretVault } from '../../../src/keys/vault.ts';
import type { ServiceDependencies } from '../../../src/services.ts';

/** @returns the keys of a service that never change: one, always the same, which no file holds */
export function testKeys(): ServiceDependencies['keys'] {
  const random = systemRandom;
  const vault = new LiveVault({
    vault: new SecretVault({ keys: [Buffer.alloc(32, 7)], random }),
    needed: [],
    registry: { registered: () => Promise.resolve([]) },
    fetch: () => Promise.resolve([]),
  });
  return {
    vault,
    source: Object.assign(new KeyFileKeys({ file: '/nonexistent/encryption.key', random }), {
      freshVault: () => Promise.resolve(vault),
    }),
  };
}
