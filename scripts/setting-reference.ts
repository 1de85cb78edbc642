import { OCRA_SETTINGS } from '../src/challenges/ocra-settings.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Settings

<!-- Written by \`npm run docs:reference\` from src/challenges/ocra-settings.ts. -->

Settings are values in the database, for all servers on it: \`tankeeper setting list\`, \`tankeeper setting set\`,
\`/system/setConfig\`. A duration is in seconds (\`300\`) or of the form \`1D2H3M4S\`. Settings for new tokens are copied into
each token.
`;

/** @returns the text of docs/reference/settings.md */
export function settingsPage(): string {
  const rows = OCRA_SETTINGS.map(({ key, initial, form, meaning, unit, ...range }) => [
    `\`${key}\``,
    `\`${initial}\``,
    'min' in range ? [range.min, 'to', range.max, unit].filter((part) => part !== undefined).join(' ') : form,
    meaning,
  ]);
  return `${HEAD}\n${markdownTable(['setting', 'default', 'values', 'meaning'], rows)}`;
}
