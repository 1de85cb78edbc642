/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': '82172f5cd189f9c282c33f6c0c5d605f4372aff39620f4d1520499ac3ae1ab0c',
};
