import { describe, expect, it } from '@jest/globals';
import { Examination, findingOf } from '../../src/doctor/examination.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

const NOTE = findingOf('note', 'last.note', 'the last check ran', 'nothing');
const last = { name: 'last', find: () => [NOTE] };

describe('an examination', () => {
  it('makes a check that fails a finding, and goes on', async () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    const broken = new Error('select "x" from "audit" - permission denied for table audit\nmore');
    await examination.run([
      { name: 'broken', find: () => Promise.reject(broken) },
      {
        name: 'refused',
        find: () => {
          throw new ServiceError('database.unavailable', 'it is away', { detail: 'lost' });
        },
      },
      last,
    ]);
    expect(examination.report.checks.map(({ state }) => state)).toEqual(['failed', 'failed', 'done']);
    expect(examination.report.findings.map(({ code, severity, text }) => [code, severity, text])).toEqual([
      ['broken.failed', 'warning', 'the check failed: permission denied for table audit'],
      ['refused.failed', 'warning', 'the check failed: it is away (lost)'],
      ['last.note', 'note', 'the last check ran'],
    ]);
  });

  it('makes a check that does not end a finding, and goes on', async () => {
    const examination = new Examination({ timeoutMs: 20 });
    const endless = { name: 'endless', find: () => new Promise<never>(() => undefined) };
    await examination.run([endless, last]);
    expect(examination.report.findings.map(({ code }) => code)).toEqual(['endless.overdue', 'last.note']);
  });

  it('gives the value of a check, and none of one that fails', async () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    expect(await examination.runFirst('one', () => Promise.resolve({ findings: [NOTE], value: 7 }))).toBe(7);
    expect(await examination.runFirst('two', () => Promise.reject(new Error('no')))).toBeUndefined();
  });

  it('names the checks that are not possible in one note', () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    examination.skip(['clock', 'audit'], 'the database is away');
    examination.skip([], 'nothing is left');
    expect(examination.report.checks).toEqual([
      { name: 'clock', state: 'skipped' },
      { name: 'audit', state: 'skipped' },
    ]);
    expect(examination.report.findings.map(({ text }) => text)).toEqual([
      'not examined, as the database is away: clock, audit',
    ]);
  });

  it('masks the passwords of URLs, also in the reason of a fault', async () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    const url = 'postgres://tank:hunter2@db.example.org/tank';
    await examination.run([
      { name: 'fault', find: () => Promise.reject(new Error(`cannot reach ${url}`)) },
      {
        name: 'text',
        find: () => [findingOf('note', 'text.url', `see '${url}'`, `set ${url}?password=hunter2`)],
      },
    ]);
    expect(examination.report.findings.map(({ text, remedy }) => [text, remedy])).toEqual([
      ['the check failed: cannot reach postgres://tank:****@db.example.org/tank', expect.anything()],
      [
        "see 'postgres://tank:****@db.example.org/tank'",
        'set postgres://tank:****@db.example.org/tank?password=****',
      ],
    ]);
  });
});
