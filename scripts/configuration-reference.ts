import { VARIABLES, type Variable } from '../src/config/variables.ts';
import { markdownTable } from './markdown-table.ts';

const EXAMPLE_HEAD = `# Every variable that tankeeper reads, set to its default; empty means unset. A wrong value stops the start with a
# message that names the variable, the value and what is allowed. \`tankeeper config\` shows what is in force.
#
#   cp .env.example .env
#   node --env-file=.env bin/tankeeper.js serve
#
# docker-compose reads .env by itself; docker-compose.yml says which of these it passes on. For itself it reads
# COMPOSE_PROJECT_NAME, NODE_IMAGE (the base image), FILES_DIR (at /files, for the variables that name files), LOG_DRIVER.
# Written by \`npm run docs:reference\`.
`;

const PAGE_HEAD = `# Configuration

<!-- Written by \`npm run docs:reference\` from src/config/variables.ts. -->

Environment variables; an empty one is unset. \`tankeeper config\` shows what is in force, passwords masked;
[.env.example](../../.env.example) lists all, with the bounds of numbers and durations: \`node --env-file\` reads a copy
of it. A wrong value stops the start with its name and what is allowed.

[Settings](settings.md) of tokens are in the database.
`;

/** What needs no words beside the meaning and the default. */
const PLAIN = /^(?:on, off|an? (?:whole number|duration|file|folder|text)(?: (?:from|such as) .*)?)$/;

/** @returns the text of .env.example */
export function environmentExample(): string {
  const sections = byGroup().map(([group, variables]) => [
    `# --- ${group} ---`,
    ...variables.map(
      ({ name, description, allowed, fallback = '' }) => `# ${description} (${allowed})\n${name}=${fallback}`,
    ),
  ]);
  return [EXAMPLE_HEAD, ...sections.flat().map((block) => `${block}\n`)].join('\n');
}

/** @returns the text of docs/reference/configuration.md */
export function configurationPage(): string {
  const sections = byGroup().map(([group, variables]) => {
    const rows = variables.map(({ name, fallback, description, allowed }) => [
      `\`${name}\``,
      fallback === undefined ? '' : `\`${fallback}\``,
      PLAIN.test(allowed) ? description : `${description} (${allowed})`,
    ]);
    return `## ${group}\n\n${markdownTable(['variable', 'default', 'meaning'], rows)}`;
  });
  return [PAGE_HEAD, ...sections].join('\n');
}

function byGroup(): readonly (readonly [string, readonly Variable[]])[] {
  const groups = new Set(VARIABLES.map(({ group }) => group));
  return [...groups].map((group) => [group, VARIABLES.filter((variable) => variable.group === group)]);
}
