import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { EXIT_CODES } from '../../src/cli/cli-failure.ts';
import type { CliDependencies } from '../../src/cli/dependencies.ts';
import { readQrCode } from '../support/values/qr-code.ts';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { commandsPage } from '../../scripts/command-reference.ts';
import { configurationPage } from '../../scripts/configuration-reference.ts';
import { allMetrics, metricsPage } from '../../scripts/metrics-reference.ts';
import { policyActionsPage } from '../../scripts/policy-reference.ts';
import { settingsPage } from '../../scripts/setting-reference.ts';
import { readLedgers, recordedDifferencesPage } from '../../scripts/recorded-differences.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { knownActions } from '../../src/policy/policy-actions.ts';
import { POLICY_SCOPES } from '../../src/policy/stored-policy.ts';
import { fakeIo } from '../cli/fake-io.ts';
import { declaredEndpoints } from '../../scripts/described-interface.ts';
import {
  anchors,
  codeBlocks,
  linkTargets,
  sections,
  shellLines,
  shellWords,
  tableUnder,
} from './markdown.ts';

import { isInRepository, listRepositoryFiles, readRepositoryFile, REPOSITORY } from './repository-file.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const documents = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...listRepositoryFiles('docs').filter((path) => path.endsWith('.md')),
];
const shell = documents.flatMap((path) =>
  codeBlocks(readRepositoryFile(path))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => shellLines(text)),
);
const homeFolder = temporaryFolder();
const reached = (): Promise<never> => Promise.reject(new Error('reached'));

describe.each(documents)('%s', (path) => {
  const text = readRepositoryFile(path);

  it('has links that lead somewhere', () => {
    const broken = linkTargets(text)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const there = file === '' ? path : normalize(join(dirname(path), file));
        const isThere = isInRepository(there);
        return !isThere || (anchor !== undefined && !anchors(readRepositoryFile(there)).includes(anchor));
      });
    expect(broken).toEqual([]);
  });

  it('names only files that there are', () => {
    const named = [...text.matchAll(/`((?:src|tests|docs|bin|docker|bench|\.ci)\/[\w./-]+)`/g)].map(
      ([, file = '']) => file,
    );
    expect(named.filter((file) => !isInRepository(file))).toEqual([]);
  });
});

describe('the files that documents and comments name', () => {
  const folders = ['src', 'console/src', 'app', 'scripts', 'tests', 'bench', 'docs'];
  const present = folders.flatMap((folder) => listRepositoryFiles(folder).map((path) => `/${path}`));
  const isThere = (name: string): boolean =>
    present.some((path) => path.endsWith(`/${name}`)) || isInRepository(name);

  it.each<[string, readonly string[], RegExp]>([
    ['documents', documents, /`((?:[\w-]+\/)*[\w.-]+\.(?:tsx?|sql))`/g],
    [
      'comments',
      present.filter((path) => /^\/(?:src|console|app|scripts|bench)\/.*\.tsx?$/.test(path)),
      /(?<=^\s*(?:\/\*\*?|\*|\/\/)[^\n]*)(?<![\w/.:-])((?:[\w-]+\/)*[\w-][\w.-]*\.(?:tsx?|md|sql))\b/gm,
    ],
  ])('are there: %s', (_what, places, names) => {
    const named = places.flatMap((path) =>
      [...readRepositoryFile(path).matchAll(names)].map(([, name = '']) => `${path}: ${name}`),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !isThere(name.replace(/^.*: /, '')))).toEqual([]);
  });
});

describe('the commands in the documents', () => {
  const commands = shell
    .map((line) => line.replace(/^docker-compose exec tankeeper /, '').replace(/^(?:[A-Z_]+=\S+ )+/, ''))
    .filter((line) => /^(?:tankeeper|node bin\/tankeeper\.js) /.test(line))
    .map((line) => shellWords(line.replace(/^(?:tankeeper|node bin\/tankeeper\.js) /, '')));

  it('are there', () => {
    expect(commands.length).toBeGreaterThan(20);
  });

  it.each(commands.map((words) => [words.join(' '), words] as const))(
    'tankeeper %s',
    async (_title, words) => {
      const io = fakeIo({ typed: [] });
      const status = await runProgram(words, dependenciesWith(io));
      expect(status === EXIT_CODES.usage ? io.err() : '').toBe('');
    },
  );

  it('set variables that there are', () => {
    const set = shell.flatMap((line) =>
      [...line.matchAll(/(?:^| )([A-Z][A-Z_]{3,})=\S/g)].map(([, name = '']) => name),
    );
    const readByTests = ['tests', 'bench']
      .flatMap((folder) => listRepositoryFiles(folder))
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => [...readRepositoryFile(path).matchAll(/process\.env\.([A-Z][A-Z_]*)/g)])
      .map(([, name = '']) => name);
    expect(set).toContain('DATABASE_URL');
    const readByBackup = [...readRepositoryFile('bin/backup-daily').matchAll(/\$\{([A-Z_]+)/g)].map(
      ([, name = '']) => name,
    );
    const known = [...VARIABLES.map(({ name }) => name), ...readByTests, ...readByBackup];
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the threats of SECURITY.md', () => {
  const security = readRepositoryFile('SECURITY.md');
  const threats = sections(security, 3);

  it('are there, numbered without a gap, each under a title of its own', () => {
    expect(threats.length).toBeGreaterThan(45);
    expect(threats.map(({ heading }) => /^(\d+)\. \S/.exec(heading)?.[1])).toEqual(
      threats.map((_threat, index) => `${index + 1}`),
    );
    const titles = threats.map(({ heading }) => heading.replace(/^\d+\. /, ''));
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it.each(threats.map(({ heading, paragraphs }) => [heading, paragraphs] as const))(
    '%s: has threat, defence and test, in three short paragraphs',
    (_title, paragraphs) => {
      expect(paragraphs.map((text) => /^\*\*(\w+)\.\*\*\s+\S/.exec(text)?.[1])).toEqual([
        'Threat',
        'Defence',
        'Test',
      ]);
      expect(paragraphs.slice(0, 2).filter((text) => text.length > 600)).toEqual([]);
    },
  );

  it.each(threats.map(({ heading, paragraphs }) => [heading, paragraphs.at(-1) ?? ''] as const))(
    '%s: is answered by a test',
    (_title, answer) => {
      const tests = [...answer.matchAll(/`(tests\/[\w./-]+\.test\.ts|bench\/\w+)`/g)].map(
        ([, file = '']) => file,
      );
      expect(tests.length).toBeGreaterThan(0);
      expect(tests.filter((file) => !isInRepository(file))).toEqual([]);
    },
  );

  it('stand on lines of at most 400 characters', () => {
    expect(security.split('\n').filter((line) => line.length > 400)).toEqual([]);
  });
});

const endpoints = declaredEndpoints();
const served: readonly string[] = endpoints.map(({ path }) => path);

describe('the guides', () => {
  const guides = listRepositoryFiles('docs/guides').map((path) => readRepositoryFile(path));

  it('name only paths of the interface that are served', () => {
    const named = guides.flatMap((text) =>
      [
        ...text.matchAll(
          /`(\/(?:ocra|admin|audit|system|validate|monitoring|docs|healthz|startupz|readyz|metrics)\b[\w/.-]*)/g,
        ),
      ].map(([, path = '']) => path.replace(/\/$/, '')),
    );
    expect(named.length).toBeGreaterThan(40);
    // A folder of paths may be named as a whole, but for one that holds a single page.
    const folders = ['/ocra', '/admin', '/system', '/validate', '/monitoring'];
    expect(named.filter((path) => !served.includes(path) && !folders.includes(path))).toEqual([]);
  });

  it('show every scope of policies', () => {
    const rows = tableUnder(readRepositoryFile('docs/guides/policies.md'), 'Scopes');
    expect(rows.map(([scope = '']) => scope.replaceAll('`', '')).sort()).toEqual([...POLICY_SCOPES].sort());
  });
});

describe('the actions of the scope admin', () => {
  it('are the rights that its paths ask for', () => {
    const asked = endpoints.flatMap(({ requires }) =>
      requires.startsWith('admin:') ? [requires.slice(6)] : [],
    );
    // The display data of a transaction is no path of its own.
    expect([...knownActions('admin')].sort()).toEqual([...new Set([...asked, 'transactiondata'])].sort());
  });
});

describe('docs/reference', () => {
  it('shows every variable as it is read (npm run docs:reference)', () => {
    expect(readRepositoryFile('docs/reference/configuration.md')).toBe(configurationPage());
    expect(tableUnder(configurationPage(), 'Database')).toContainEqual([
      '`DATABASE_LOCK_TIMEOUT`',
      '`5S`',
      'time limit of a request that waits for a lock in the database',
    ]);
    expect(VARIABLES.filter(({ name }) => !configurationPage().includes(`| \`${name}\` `))).toEqual([]);
  });

  it('shows every metric as it is declared (npm run docs:reference)', () => {
    expect(readRepositoryFile('docs/reference/metrics.md')).toBe(metricsPage());
    expect(metricsPage()).toContain('| `tankeeper_responses_total{outcome, reason}` ');
    const kinds = allMetrics()
      .declared()
      .map(({ name, type }) => [
        type,
        name.endsWith('_total') ? 'counter' : name.endsWith('_duration_seconds') ? 'histogram' : 'gauge',
      ]);
    expect(kinds.filter(([type, byName]) => type !== byName)).toEqual([]);
  });

  it('shows every setting as it is declared (npm run docs:reference)', () => {
    expect(readRepositoryFile('docs/reference/settings.md')).toBe(settingsPage());
    expect(settingsPage()).toContain('| `OcraMaxChallenges` ');
  });

  it('shows every action of policies as it is declared (npm run docs:reference)', () => {
    const page = readRepositoryFile('docs/reference/policy-actions.md');
    expect(page).toBe(policyActionsPage());
    expect(tableUnder(page, 'authentication')).toContainEqual([
      '`otppin`',
      'the PIN or password that precedes a response: 0 (token PIN), 1 (password) or 2 (none)',
    ]);
  });

  it('shows every recorded difference (npm run docs:reference)', () => {
    const page = readRepositoryFile('docs/reference/recorded-differences.md');
    expect(page).toBe(recordedDifferencesPage());
    const counts = tableUnder(page, 'Kinds').map(([, ...numbers]) => numbers.map(Number));
    const patterns = Object.values(readLedgers()).map(
      (entries) => entries.flatMap(({ rows }) => rows).length,
    );
    expect(patterns.map((_, column) => counts.reduce((sum, row) => sum + (row[column] ?? 0), 0))).toEqual(
      patterns,
    );
  });

  it('shows every command as it describes itself (npm run docs:reference)', () => {
    const page = readRepositoryFile('docs/reference/commands.md');
    expect(page).toBe(commandsPage());
    const rows = tableUnder(page, 'Commands');
    expect(rows).toContainEqual(['`import` `pskc`, `csv`, `linotp`', expect.stringMatching(/^take over/)]);
    expect(rows.filter((cells) => cells.includes(''))).toEqual([]);
    const listed = rows.flatMap(([words = '']) => {
      const [group = '', ...below] = [...words.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      return below.length === 0 ? [group] : below.map((name) => `${group} ${name}`);
    });
    const commands = leaves(buildProgram(dependenciesWith(fakeIo())));
    expect(listed.toSorted()).toEqual(commands.map(({ path }) => path).sort());
    expect(commands.filter(({ purpose }) => purpose === '')).toEqual([]);
  });
});

describe('the README', () => {
  it('names the demo and the tests', () => {
    const blocks = codeBlocks(readRepositoryFile('README.md')).map(({ text }) => text);
    expect(blocks).toContain('npm ci && npm run demo\n');
    expect(blocks).toContain('npm ci && npm test\n');
  });

  it('shows a QR code that can be read', () => {
    expect(linkTargets(readRepositoryFile('README.md'))).toContain('docs/images/demo-qr.png');
    const text = readQrCode(readFileSync(join(REPOSITORY, 'docs/images/demo-qr.png')));
    expect(text).toMatch(/^lseqr:\/\/req\?/);
  });
});

interface Leaf {
  readonly path: string;
  readonly purpose: string;
}

function leaves(command: Command, above: readonly string[] = []): readonly Leaf[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => {
      const path = [...above, one.name()];
      return one.commands.length === 0
        ? [{ path: path.join(' '), purpose: one.description() }]
        : leaves(one, path);
    });
}

/** Enough for every command to read its words; none gets further than its first deed. */
function dependenciesWith(io: CliDependencies['io']): CliDependencies {
  return {
    io,
    homeFolder,
    openServices: reached,
    loadConfiguration: reached,
    fetch: reached,
    clock: systemClock,
    random: systemRandom,
    version: '0.0.0',
    osUser: 'test',
  };
}
