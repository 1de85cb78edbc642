import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { checkForeignPolicy } from '../../src/policy/policy.ts';
import { readPolicyFile, writePolicyFile } from '../../src/policy/policy-file.ts';
import { type Policy, POLICY_SCOPES } from '../../src/policy/stored-policy.ts';
import { anyText } from '../support/values/any-text.ts';

const HELPDESK: Policy = {
  name: 'helpdesk',
  scope: 'admin',
  action: 'show, enable',
  realm: 'office',
  user: 'anna',
  client: '',
  time: '',
  active: true,
};

const file = (...lines: readonly string[]): string => lines.join('\n');

const policies = (text: string): readonly Policy[] => readPolicyFile(text).map(({ policy }) => policy);

describe('a file of policies', () => {
  it('that is read again has the same policies, whatever texts people have stored', () => {
    const text = fc.oneof(
      anyText({ maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...Array.from(`"'#,;=:[] \n\r\ta\\N`)), maxLength: 30 }),
      fc.constantFrom(
        'None',
        '""',
        "'''",
        '"""',
        'a # b',
        `qrtanurl="https://x/?a,b", otppin='1'`,
        '\ufeffx',
      ),
    );
    const name = fc.oneof(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/), text);
    const scope = fc.oneof(fc.constantFrom(...POLICY_SCOPES), text);
    const action = fc.oneof(fc.constantFrom('show', '*'), text);
    const policy = fc.record({ name, scope, action, realm: text, user: text, client: text, time: text });
    fc.assert(
      fc.property(policy, (given) => {
        const stored = { ...given, active: false };
        const written = writePolicyFile([stored]);
        if (written.startsWith('# Left out')) {
          const isUsual = /^[\w.-]+$/.test(stored.name) && !/["'\r\n]/.test(Object.values(given).join(''));
          expect(isUsual).toBe(false);
          expect(written.split('\n')).toHaveLength(2);
          return;
        }
        const [read, ...others] = readPolicyFile(written);
        expect(others).toEqual([]);
        expect(read?.fault === undefined ? checkForeignPolicy(stored).policy : stored).toEqual(read?.policy);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves out, and names in a comment, what no file can hold', () => {
    const written = writePolicyFile([
      { ...HELPDESK, name: 'a\n[b' },
      { ...HELPDESK, name: 'both', action: `'''\n"""` },
      { ...HELPDESK, name: 'long', time: 'x'.repeat(4_097), active: false },
    ]);
    expect(written).toBe(
      '# Left out, as a file cannot hold it: "a\\n[b"\n\n# Left out, as a file cannot hold it: "both"\n\n# Left out, as a file cannot hold it: "long"\n',
    );
  });

  it('may have been written by LinOTP or changed by people', () => {
    const text = file(
      '\ufeff# of the old server',
      '; another comment',
      '  [helpdesk]   # the desk',
      '\tScope: admin',
      `action='show, enable'  # two`,
      'realm = "office"',
      'name = helpdesk',
      'user = """anna"""',
      'client = None',
      'active = true',
      '',
    );
    for (const end of ['\n', '\r\n', '\r']) {
      expect(policies(text.replaceAll('\n', end))).toEqual([HELPDESK]);
    }
  });

  it('keeps known actions active beside unknown ones, and what it does not understand inactive', () => {
    const section = (name: string, scope: string, action: string, more = ''): string =>
      `[${name}]\nscope = ${scope}\naction = ${action}\nrealm = *\nuser = *\n${more}\n`;
    const read = readPolicyFile(
      section('some', 'admin', 'show, checkserial') +
        section('scope', 'selfservice', 'assign') +
        section('bound', 'admin', '*, !remove') +
        section('field', 'admin', 'show', 'clinet = 10.0.0.0/8'),
    );
    expect(
      read.map(({ policy, withoutEffect, fault }) => [policy.name, policy.active, withoutEffect, fault]),
    ).toEqual([
      ['some', true, ['checkserial'], undefined],
      ['scope', false, [], expect.stringContaining("Unknown action 'assign' in scope selfservice")],
      ['bound', false, [], expect.stringContaining("Unknown action '!remove'")],
      ['field', false, [], "A policy has no field 'clinet'"],
    ]);
  });

  const SECTION = '[a]\nscope = admin\naction = show\nrealm = *\nuser = *\n';
  it.each([
    ['', 'The file has no policy'],
    ['<html>', 'Line 1 of the file: it is no section, field or comment'],
    ['scope = admin\n[a]', 'Line 1 of the file: it is no section, field or comment'],
    ['[a]\nsecret-line', 'Line 2 of the file: it is no section, field or comment'],
    ['[a', 'Line 1 of the file: it is no section'],
    ['[]', 'Line 1 of the file: it is no section'],
    ['[[a]]', 'Line 1 of the file: it is no section'],
    ['[a] secret', 'Line 1 of the file: it is no section'],
    ['[a]\naction = show', 'Line 1 of the file: the policy has no scope'],
    ['[a]\nscope = admin', 'Line 1 of the file: the policy has no action'],
    ['[a]\nscope = x\nSCOPE = y', 'Line 3 of the file: the policy has this field already'],
    [`${SECTION}name = b`, 'Line 1 of the file: the policy has another name'],
    [`${SECTION}time = """\nsecret\n`, 'Line 6 of the file: the quotation mark """ is not closed'],
    [`${SECTION}time = '''a\n''' secret\n`, "Line 7 of the file: there is text behind the closing '''"],
    [
      `[a]\nscope = x\naction = \nuser = ${'a.*b,'.repeat(900)}\n`,
      'Line 4 of the file: the field has more than 4096',
    ],
    [`${SECTION}active = maybe`, 'The state of a policy (active) is True or False'],
    [SECTION + SECTION, "The file has the policy 'a' twice"],
  ])('is refused with the place, and never quoted: %j', (text, message) => {
    const reading = (): unknown => readPolicyFile(text);
    expect(reading).toThrow(ServiceError);
    expect(reading).toThrow(message);
    expect(reading).not.toThrow('secret');
  });

  it('is refused beyond a thousand policies, or 255 characters of a name', () => {
    expect(() => readPolicyFile('[a]\n'.repeat(1_001))).toThrow('A file has at most 1000 policies');
    expect(() => readPolicyFile(`[${'a'.repeat(256)}]`)).toThrow('it is no section');
  });

  it('of a million line ends, or of marks without an end, is read in no time that grows faster than it', () => {
    for (const text of ['\n'.repeat(1_000_000), `[a]\nscope = """${'\n"'.repeat(500_000)}`]) {
      expect(() => readPolicyFile(text)).toThrow(ServiceError);
    }
  });
});
