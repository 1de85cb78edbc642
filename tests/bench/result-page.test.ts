import { describe, expect, it } from '@jest/globals';
import { resultText } from '../../bench/result-page.ts';
import { isInRepository, listRepositoryFiles, readRepositoryFile } from '../repository/repository-file.ts';
import { barChart } from '../../bench/bar-chart.ts';
import { holm, sampleDifference } from '../../bench/sample-difference.ts';

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

const BARS = [
  { label: '(b) <two> & more', value: 200, least: 150, most: 400, kind: 'yardstick' },
  { label: 'check_t', value: 100, least: 90, most: 110, kind: 'tankeeper' },
];

describe('a bar chart', () => {
  const svg = barChart('Answering', 'requests a second', BARS);

  it('draws bars in proportion to their values, from the left', () => {
    const widths = [...svg.matchAll(/<rect x="260" y="\d+" width="([\d.]+)" height="16"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toEqual([240, 120]);
  });

  it('spans least and greatest value', () => {
    expect(svg).toContain('<path d="M440.0 67H740.0"');
  });

  it('escapes what it shows', () => {
    expect(svg).toContain('>(b) &lt;two&gt; &amp; more<');
    expect(svg).not.toContain('<two>');
  });
});

/** 0.5 to n − 0.5, in an order that has nothing to do with it. */
function scattered(size: number, step: number): number[] {
  return Array.from({ length: size }, (_, index) => ((index * step) % size) + 0.5);
}

describe('the difference of samples', () => {
  it('is none between samples of one kind', () => {
    const { shift, interval, p } = sampleDifference(scattered(997, 31), scattered(997, 57));
    expect(shift).toBe(0);
    expect(interval[0]).toBeLessThanOrEqual(0);
    expect(interval[1]).toBeGreaterThanOrEqual(0);
    expect(p).toBeGreaterThan(0.99);
  });

  it('is found, and how large it is, where one kind takes longer', () => {
    const slower = scattered(997, 57).map((value) => value + 200);
    const { shift, interval, p } = sampleDifference(scattered(997, 31), slower);
    expect(shift).toBe(200);
    expect(interval[0]).toBeGreaterThan(100);
    expect(interval[0]).toBeLessThan(200);
    expect(interval[1]).toBeGreaterThan(200);
    expect(interval[1]).toBeLessThan(300);
    expect(p).toBeLessThan(1e-9);
  });

  it('has the p-value of the Mann–Whitney test, ties included', () => {
    // As SciPy's mannwhitneyu says, asymptotic and without continuity correction; U = 23 of 100.
    const one = [1, 2, 2, 3, 4, 5, 6, 7, 8, 9];
    const other = [4, 6, 7.5, 8.5, 9, 10, 11, 12, 5.5, 3];
    expect(sampleDifference(one, other).p).toBeCloseTo(0.040_869, 5);
  });

  it('is found among several only where it holds by the procedure of Holm', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005], 0.05)).toEqual([true, false, false, true]);
    expect(holm([0.001, 0.001], 0.01)).toEqual([true, true]);
    expect(holm([0.5], 0.05)).toEqual([false]);
  });
});
