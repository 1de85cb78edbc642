import { FOREIGN_SETTINGS, KNOWN_SETTINGS } from '../src/configuration/settings.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Settings

<!-- Written by \`npm run docs:reference\` from src/configuration/settings.ts. -->

Values in the database, for all servers on it: \`tankeeper setting\`, \`/system/setConfig\`. A duration is in seconds or of
the form \`1D2H3M4S\`. Settings for new tokens are copied into each.
`;

const FOREIGN = `
## LinOTP's other settings

None has an effect; the answer, and the report of an import, give the reason. A **refused** one is an error, and left by an
import. A **kept** one is stored, as is any key that is not on this page. \`/system/setConfig\` alone takes
\`passwdresolver.\`, \`ldapresolver.\`, \`sqlresolver.\`, \`useridresolver.group.\` and \`DefaultRealm\`: it sets the resolver or realm.

`;

/** @returns the text of docs/reference/settings.md */
export function settingsPage(): string {
  const rows = KNOWN_SETTINGS.map(({ key, default: initial, type, meaning, unit, ...range }) => [
    `\`${key}\``,
    initial === undefined ? '' : `\`${initial}\``,
    'min' in range ? [range.min, 'to', range.max, unit].filter((part) => part !== undefined).join(' ') : type,
    meaning,
  ]);
  const foreign = (['refused', 'kept'] as const).map((fate) => {
    const keys = FOREIGN_SETTINGS.filter((setting) => setting.fate === fate).map(({ keys, unless }) => {
      const exception = unless === undefined ? '' : ` (but for ${unless.words})`;
      return keys.map((key) => `\`${key}\``).join(', ') + exception;
    });
    return `- **${fate}:** ${keys.join(', ').replaceAll(/(.{70}.*?,) /g, '$1\n  ')}\n`;
  });
  const obeyed = markdownTable(['setting', 'default', 'values', 'meaning'], rows);
  return `${HEAD}\n${obeyed}${FOREIGN}${foreign.join('')}`;
}
