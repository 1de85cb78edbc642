/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': '4d0a2c848c62332d6ee2faf490beafab6a942b888e1d6726d749ad8d71028dd3',
};
