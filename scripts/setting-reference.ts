import { KNOWN_SETTINGS, REFUSED_SETTINGS } from '../src/configuration/settings.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Settings

<!-- Written by \`npm run docs:reference\` from src/configuration/settings.ts. -->

Values in the database, for all servers on it: \`tankeeper setting\`, \`/system/setConfig\`. A duration is in seconds or of
the form \`1D2H3M4S\`. Settings for new tokens are copied into each.
`;

const FOREIGN = `
## LinOTP's other settings

None has an effect. These are an error, with the reason, and left by an import; any other key is stored. \`/system/setConfig\`
alone takes \`passwdresolver.\`, \`ldapresolver.\`, \`sqlresolver.\`, \`useridresolver.group.\` and \`DefaultRealm\`: it sets the resolver or realm.

`;

/** @returns the text of docs/reference/settings.md */
export function settingsPage(): string {
  const rows = KNOWN_SETTINGS.map(({ key, default: initial, type, meaning, unit, ...range }) => [
    `\`${key}\``,
    initial === undefined ? '' : `\`${initial}\``,
    'min' in range ? [range.min, 'to', range.max, unit].filter((part) => part !== undefined).join(' ') : type,
    meaning,
  ]);
  const refused = REFUSED_SETTINGS.map(({ keys, unless }) => {
    const exception = unless === undefined ? '' : ` (but for ${unless.words})`;
    return keys.map((key) => `\`${key}\``).join(', ') + exception;
  });
  const obeyed = markdownTable(['setting', 'default', 'values', 'meaning'], rows);
  return `${HEAD}\n${obeyed}${FOREIGN}${refused.join(', ').replaceAll(/(.{70}.*?,) /g, '$1\n')}\n`;
}
