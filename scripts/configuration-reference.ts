import { fileKeyOf } from '../src/config/config-file.ts';
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

Tankeeper is configured by environment variables; an empty variable is the same as an unset one. A wrong value stops the start with
a message that names each wrong variable, its value and what is allowed. \`tankeeper config\` shows every variable with its
value and its source, passwords masked. [.env.example](../../.env.example) lists the variables for a file.

A YAML file may hold the same values: \`tankeeper --config FILE serve\`, or the variable \`TANKEEPER_CONFIG\`. No file is read
unless it is named. Its keys are the names of the variables in lower camel case (\`WIRE_DIALECT\` is \`wireDialect\`); its
values are texts, numbers and lists. A variable of the environment goes before the file. Tags, anchors and aliases are
refused. A file with the password of the database must be readable by the server's account alone, or the start warns;
\`databasePasswordFile\` keeps it apart. \`tankeeper config check FILE\` lists every fault with line and column, and unknown
keys and variables with the nearest known one; status 1 with faults.

\`\`\`yaml
host: 0.0.0.0
port: 5001
trustProxy: [10.0.0.0/8, loopback]
databaseUrl: postgres://tankeeper@db.example.org/tankeeper
databasePasswordFile: /run/secrets/database
auditRetention: 400D
\`\`\`

Settings of tokens (time-outs, windows, limits) are in the database, for all servers on it: \`tankeeper setting list\`.
`;

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
      `\`${fileKeyOf(name)}\``,
      fallback === undefined ? '' : `\`${fallback}\``,
      description,
      allowed,
    ]);
    return `## ${group}\n\n${markdownTable(['variable', 'key in a file', 'default', 'meaning', 'allowed'], rows)}`;
  });
  return [PAGE_HEAD, ...sections].join('\n');
}

function byGroup(): readonly (readonly [string, readonly Variable[]])[] {
  const groups = new Set(VARIABLES.map(({ group }) => group));
  return [...groups].map((group) => [group, VARIABLES.filter((variable) => variable.group === group)]);
}
