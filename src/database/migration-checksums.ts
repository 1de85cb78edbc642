/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-baseline': 'c55f36079aced0d2c53ee36883a13cd96f1c9da9e900e8c7e71600121238e18f',
};
