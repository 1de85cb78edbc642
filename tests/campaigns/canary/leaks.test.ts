import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testProgram } from '../../support/servers/test-build.ts';
import type { CanaryException, CanaryVerdict } from './canary-search.ts';
import { CanaryInstallation } from './canary-installation.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { type CanaryStory, tellCanaryStory } from './canary-story.ts';

/** The only permitted places of secrets: each one is the purpose of the interface. Only successful answers count. */
const EXCEPTIONS: readonly CanaryException[] = [
  {
    place: /^answer \w+ \/admin\/init phase 1 \(success\)/,
    kinds: ['shared secret'],
    because: 'the first code of a roll-out brings it to the app',
  },
  {
    place: /^answer \w+ \/admin\/init phase 2 \(success\)/,
    kinds: ['nonce'],
    because: 'the second code of a roll-out brings it to the app',
  },
  {
    place: /^answer \w+ \/admin\/init (?!phase)[\w ]*\(success\)/,
    kinds: ['token key', 'fixed text'],
    because: 'a token without a roll-out is shown with its key or text where it is made',
  },
  {
    place: /^answer \w+ \/ocra\/getActivationCode \(success\)/,
    kinds: ['activation code'],
    because: 'it is what was asked for',
  },
  {
    place: /^answer \w+ \/ocra\/calculateOtp \(success\)/,
    kinds: ['response'],
    because: 'it is what was asked for',
  },
  {
    place: /^answer \w+ \/admin\/webhook\/(?:add|rotate-secret) \(success\)/,
    kinds: ['webhook secret'],
    because: 'it hands out the secret, this once',
  },
  {
    place: /^answer \w+ \/admin\/getsession \(success\)/,
    kinds: ['session'],
    because: 'it hands out the session',
  },
  {
    place: /^answer \w+ \/admin\/login \(success\)/,
    kinds: ['login token'],
    because: 'it hands out the login',
  },
  {
    place: /^answer /,
    kinds: ['misplaced'],
    because: 'errors repeat names to whoever sent them: this one sent a secret as a name',
  },
  {
    place: /^log postgres/,
    kinds: ['misplaced'],
    because: 'names are looked up, and the PostgreSQL of this test is told to write down every value',
  },
  {
    place: /^file server encryption\.key$/,
    kinds: ['encryption key'],
    because: 'it is the key file',
  },
  {
    place: /^command api-token add admin \(success\)$/,
    kinds: ['API token'],
    because: 'it is shown where it is made',
  },
  {
    place: /^command token init \(success\)$/,
    kinds: ['token key'],
    because: 'a key that the server makes is shown where it is made',
  },
  {
    place: /^process .* environ$/,
    kinds: ['database password'],
    because: 'who sets DATABASE_URL puts it there; DATABASE_PASSWORD_FILE keeps it out',
  },
];

/** The story is long: many times what it takes on a machine that does nothing else. */
const STORY_MS = 1_200_000;

let installation: CanaryInstallation;
let story: CanaryStory;
let verdict: CanaryVerdict;

beforeAll(async () => {
  installation = await CanaryInstallation.open();
  story = await tellCanaryStory(installation);
  await installation.close();
  verdict = installation.evidence.judge(installation.marks, EXCEPTIONS);
}, STORY_MS);

afterAll(() => installation.remove());

describe('the whole life of tokens and administrators, and every endpoint in each trouble', () => {
  it('leaves no secret in any form in any answer, log, table, file or process', () => {
    expect(verdict.leaks).toEqual([]);
  });

  it('shows secrets where it must, so nothing is excused that is not there', () => {
    expect(verdict.unused).toEqual([]);
  });

  it('took place: every endpoint was asked, and most said yes', () => {
    const requested = installation.evidence.placesOf(/^answer/);
    for (const dialect of ['documented', 'linotp'] as const) {
      const unasked = declaredEndpoints(dialect)
        .map(({ path }) => path)
        .filter((path) => !requested.some((place) => place.startsWith(`answer ${dialect} ${path} `)));
      expect(unasked).toEqual([]);
      const succeeded = declaredEndpoints(dialect)
        .map(({ path }) => path)
        .filter((path) =>
          requested.some(
            (place) => place.startsWith(`answer ${dialect} ${path} `) && place.endsWith('(success) '),
          ),
        );
      expect(succeeded.length).toBeGreaterThan(35);
    }
  });

  it.each([
    ['beyond the limits', '429'],
    ['refused by the database', '500'],
    ['locked', '503'],
    ['away', '503'],
  ])('was %s', (trouble, status) => {
    const answers = installation.evidence.textOf(new RegExp(`^answer .*${trouble}$`));
    expect(answers).toMatch(new RegExp(`^${status} `, 'm'));
  });

  it('was looked at everywhere, at the most talkative', () => {
    const { evidence } = installation;
    for (const [what, least] of Object.entries({ answer: 500_000, log: 1_000_000, table: 20_000 })) {
      expect(verdict.searched[what]).toBeGreaterThan(least);
    }
    expect(evidence.textOf(/^log documented$/)).toContain('"level":"debug"');
    expect(evidence.textOf(/^log linotp$/)).toMatch(/ DEBUG /);
    const database = evidence.textOf(/^log postgres/);
    expect(database).toMatch(/LOG: {2}00000: execute .*\n.*DETAIL: {2}Parameters: \$1 = /);
    expect(database).toContain('DETAIL:  Failing row contains (');
    expect(database).toContain('canceling statement due to statement timeout');
    expect(story.tables).toEqual(expect.arrayContaining(['tokens', 'challenges', 'administrators']));
    expect(evidence.textOf(/^command audit search/)).toContain('ocra/check_t');
    expect(evidence.textOf(/^answer \w+ \/metrics/)).toContain('tankeeper_http_requests_total');
    expect(evidence.textOf(/^process server documented cmdline/)).toContain(testProgram());
    expect(evidence.textOf(/^process postgres/)).toContain('tankeeper server');
  });

  it('had a password typed at a prompt', () => {
    if (!story.isTyped) {
      process.stderr.write('There is no program `script` here: nothing is typed at a prompt.\n');
    }
    expect(story.isTyped || process.env.CI !== 'true').toBe(true);
  });

  it('ended as it should: no dump, no report, nothing left among temporary files', () => {
    expect(story.ends).toEqual([0, null]);
    expect(
      installation.evidence.placesOf(/^file (?:tmp|home|work)/).filter((place) => !isCache(place)),
    ).toEqual([]);
  });
});

/** @returns true for the compiler that edited sources are loaded with, which keeps a copy of its own program */
function isCache(place: string): boolean {
  return place.startsWith('file home .cache/swc-native-');
}
