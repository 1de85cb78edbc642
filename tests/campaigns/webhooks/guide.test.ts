import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

import { signMessage } from '../../../src/webhooks/webhook.ts';
import { EVENT_TYPES } from '../../../src/webhooks/webhook-event.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { codeBlocks, tableUnder } from '../../repository/markdown.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';

const run = promisify(execFile);
const GUIDE = readRepositoryFile('docs/guides/webhooks.md');
const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;

const { headers, body } = signMessage(
  { id: 'e1', type: 'token.locked', occurredAt: new Date(), data: '{"user":"Jörg"}' },
  new Date(),
  [Buffer.alloc(32, 8), KEY],
);

/** The calls whose results each snippet prints as JSON: the genuine message, another body, an old one. */
const CALLS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  [SECRET, headers, body],
  [SECRET, headers, body.replace('locked', 'stolen')],
  [SECRET, { ...headers, 'webhook-timestamp': '1000' }, body],
];
const GIVEN = Buffer.from(JSON.stringify(CALLS)).toString('base64');

/** The code of each language: in the guide, or in a file that it links to. */
const SNIPPETS: Readonly<Record<string, string>> = {
  js: codeBlocks(GUIDE).find(({ language }) => language === 'js')?.text ?? '',
  python: readRepositoryFile('docs/examples/webhook.py'),
  php: readRepositoryFile('docs/examples/webhook.php').replace('<?php\n', ''),
};

/** The runtimes, each with the lines that call the snippet. */
const RUNTIMES: Readonly<Record<string, readonly [string, (code: string) => readonly string[]]>> = {
  js: [
    'node',
    (code) => [
      '--input-type=module',
      '-e',
      `${code}\nconst calls = JSON.parse(Buffer.from('${GIVEN}', 'base64'));
       console.log(JSON.stringify(calls.map((call) => isGenuine(...call))));`,
    ],
  ],
  python: [
    'python3',
    (code) => [
      '-c',
      `${code}\nimport json\ncalls = json.loads(base64.b64decode('${GIVEN}'))
print(json.dumps([is_genuine(s, h, b.encode()) for s, h, b in calls]))`,
    ],
  ],
  php: [
    'php',
    (code) => [
      '-r',
      `${code}\necho json_encode(array_map(fn($c) => is_genuine(...$c), json_decode(base64_decode('${GIVEN}'), true)));`,
    ],
  ],
};

/** Debian's packages of programs with another name. */
const PACKAGES: Readonly<Record<string, string>> = { php: 'php-cli' };

describe('the guide to webhooks', () => {
  it('lists every type of events', () => {
    expect(tableUnder(GUIDE, 'Events').map(([type = '', when]) => [type.replaceAll('`', ''), when])).toEqual(
      Object.entries(EVENT_TYPES),
    );
  });
});

describe.each(Object.entries(RUNTIMES))('its verification in %s', (language, [name, argumentsFor]) => {
  describeWithProgram(`with ${name}`, findSystemProgram(name), PACKAGES[name] ?? name, (program) => {
    it('takes the genuine message, and neither another body nor an old one', async () => {
      const code = SNIPPETS[language] ?? '';
      expect(code).not.toBe('');
      const { stdout } = await run(program, [...argumentsFor(code)]);
      expect(JSON.parse(stdout)).toEqual([true, false, false]);
    });
  });
});
