/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': '0774bb6b2226046bd671fd3109a93496b8b45289e7e8563c0d55fbb3ab24777f',
};
