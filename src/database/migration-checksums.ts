/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': '855eaa7a9fafc3c499c44169290a07c839a815eafac00e090078d87b3b1861fc',
};
