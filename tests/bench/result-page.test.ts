import { describe, expect, it } from '@jest/globals';
import { resultText } from '../../bench/result-page.ts';
import { isInRepository, listRepositoryFiles, readRepositoryFile } from '../repository/repository-file.ts';

const PAGES = listRepositoryFiles('docs/results').filter((path) => path.endsWith('.md'));

const { scripts } = JSON.parse(readRepositoryFile('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe('a page of results', () => {
  it('says which command writes it, on which machine it ran, and aligns columns of numbers right', async () => {
    const text = await resultText({
      name: 'sample',
      title: 'Sample',
      command: 'npm run bench:sample',
      measures: 'A sample.',
      software: 'PostgreSQL 18.4',
      sections: [
        'Two rounds.',
        {
          head: ['request', 'ms', 'p', 'verdict'],
          rows: [
            ['a | b', 1, '< 0.0001', 'PASS'],
            ['tokens', '12.50', '0.5', 'PASS: 2'],
          ],
        },
      ],
    });
    expect(text).toMatch(/^# Sample\n\nA sample\.\n\n- Written by: `WRITE_RESULTS=1 npm run bench:sample`\n/);
    expect(text).toMatch(/^- \d{4}-\d\d-\d\d, \d+ cores, \d+ GiB, Node\.js [\d.]+, PostgreSQL 18\.4$/m);
    expect(text).toMatch(
      /\n\nTwo rounds\.\n\n\| request +\| +ms \| +p \| verdict \|\n\| -+ \| -+: \| -+: \| -+ \|\n\| a \\\| b +\| +1 \|/,
    );
  });
});

describe.each(PAGES)('%s', (path) => {
  it('names a command that there is', () => {
    const command = /^- Written by: `WRITE_RESULTS=1 (.+)`$/m.exec(readRepositoryFile(path))?.[1] ?? '';
    const [, script = ''] = /npm (?:run )?([\w:-]+)/.exec(command) ?? [];
    expect(scripts).toHaveProperty([script]);
    const tests = [...command.matchAll(/tests\/\S+/g)].map(([file]) => file);
    expect(tests.filter((file) => !isInRepository(file))).toEqual([]);
  });
});
