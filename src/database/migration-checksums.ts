/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': '1c14e98477f62dbbb8e46d2a26cc9dcda1c70c1c5544e6fd4b83cfadd1141d1f',
};
