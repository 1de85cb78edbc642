/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': '842a83b733848b70fa99809010f2e89bf0a0caa93e161b01b35959b8e2575ce3',
};
