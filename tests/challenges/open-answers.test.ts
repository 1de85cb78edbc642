import type { Validated } from '../../src/validation/validation-service.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewToken } from '../../src/tokens/token.ts';
import { pinVerifier } from '../../src/tokens/token-settings.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import type { IssuedChallenge } from '../../src/challenges/challenge-factory.ts';
import { type OcraSuite, parseOcraSuite } from '../../src/ocra/suite.ts';
import { callerNamed } from '../support/values/callers.ts';
import {
  ANNA,
  BERND,
  KEY,
  keyedToken,
  type OcraHouse,
  OcraSite,
  type OcraSketch,
  vault,
} from '../support/database/ocra-house.ts';

const admin = callerNamed('admin');
const open = { client: '192.0.2.9', requestId: 'request-2' };
const COUNTER = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const WRONG = 'xxxxxxxx';

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

interface SceneSketch extends Omit<OcraSketch, 'tokens'> {
  /** The differences of both tokens of Anna, and of the second one. */
  readonly token?: Partial<NewToken>;
  readonly second?: Partial<NewToken>;
}

interface State {
  readonly failCount: number | undefined;
  /** The state of each challenge, in the order in which they were issued. */
  readonly challenges: readonly string[];
}

/** Two tokens of Anna, unless told, and one of somebody else, with open challenges. */
class Scene {
  readonly house: OcraHouse;
  readonly issued: IssuedChallenge[] = [];

  readonly #suite: OcraSuite;

  private constructor(house: OcraHouse, suite: OcraSuite) {
    this.house = house;
    this.#suite = suite;
  }

  static async of(
    { token = {}, second = {}, ...sketch }: SceneSketch,
    serials: readonly string[],
    data = '',
  ): Promise<Scene> {
    const own = { owner: ANNA, algorithm: COUNTER, ...token };
    const house = await site.house({
      ...sketch,
      tokens: [
        keyedToken('A1', own),
        keyedToken('A2', { ...own, ...second }),
        keyedToken('B1', { owner: BERND, algorithm: COUNTER }),
      ],
    });
    return new Scene(house, parseOcraSuite(own.algorithm ?? COUNTER)).issue(serials, data);
  }

  async issue(serials: readonly string[], data = ''): Promise<this> {
    for (const serial of serials) {
      this.house.clock.at = new Date(this.house.clock.at.getTime() + 1_000);
      this.issued.push(await this.house.ocra.requestChallenge(admin, { serial, data }));
    }
    return this;
  }

  /** The answer of the device to a challenge, by its place. */
  response(index: number, counter = 0): string {
    return computeResponse(this.#suite, KEY, {
      question: this.issued[index]?.question ?? '',
      counter: BigInt(counter),
    });
  }

  bySerial(pass: string, serial = 'A1'): Promise<Validated> {
    return this.house.validation.check(open, { serial, pass });
  }

  byUser(pass: string): Promise<Validated> {
    return this.house.validation.check(open, { user: 'anna', pass });
  }

  async state(serial = 'A1'): Promise<State> {
    const found = await this.house.challenges.find({ serial });
    return {
      failCount: (await this.house.tokens.findBySerial(serial))?.failCount,
      challenges: found
        .map(
          ({ challenge: { closedBy, wrongCount, receivedTan } }) =>
            `${closedBy ?? 'open'} ${wrongCount}${receivedTan ? ' received' : ''}`,
        )
        .reverse(),
    };
  }
}

describe('a response to a token with several open challenges', () => {
  it.each([
    [0, ['accepted 0 received', 'open 0', 'open 0']],
    [1, ['open 0', 'accepted 0 received', 'open 0']],
    [2, ['open 0', 'open 0', 'accepted 0 received']],
  ])(
    'that is right for the one at %i is accepted for it, and no other changes',
    async (index, challenges) => {
      const scene = await Scene.of({}, ['A1', 'A1', 'A1']);
      expect(await scene.bySerial(scene.response(index))).toBe(true);
      expect(await scene.state()).toEqual({ failCount: 0, challenges });
    },
  );

  it('is tried on as many challenges as may be open, where more are', async () => {
    const scene = await Scene.of({ settings: { OcraMaxChallenges: '3' } }, ['A1', 'A1', 'A1']);
    scene.house.configuration.change({ settings: new Map([['OcraMaxChallenges', '2']]) });
    expect(await scene.bySerial(scene.response(0))).toBe(false);
    expect(await scene.bySerial(scene.response(1))).toBe(true);
  });

  it('needs the PIN, and a wrong PIN discloses nothing about the digits', async () => {
    const pin = vault.seal(pinVerifier('pin', systemRandom), 'pin', 'A1');
    const seed = vault.seal(KEY, 'seed', 'A1');
    const secrets = { seed, sharedSecret: null, nonce: null, pin, ocraPin: null };
    const states: State[] = [];
    for (const pass of [WRONG, 'right']) {
      const scene = await Scene.of({ token: { secrets } }, ['A1', 'A1']);
      expect(await scene.bySerial(`nip${pass === 'right' ? scene.response(0) : pass}`)).toBe(false);
      states.push(await scene.state());
      expect(await scene.bySerial(`pin${scene.response(0)}`)).toBe(true);
    }
    expect(states[0]).toEqual(states[1]);
  });

  it.each([
    ['locked', { failCount: 10, maxFail: 10 }, { failCount: 11, challenges: ['open 0', 'open 0 received'] }],
    ['disabled', { active: false }, { failCount: 0, challenges: ['open 0', 'open 0'] }],
  ])('changes the same of a %s token, right or wrong, for as much work', async (_, changes, state) => {
    const work: number[] = [];
    for (const isRight of [true, false]) {
      const scene = await Scene.of({ token: changes }, ['A1', 'A1']);
      expect(await scene.bySerial(isRight ? scene.response(0) : WRONG)).toBe(false);
      expect(await scene.state()).toEqual(state);
      work.push(scene.house.computed);
    }
    expect(work[0]).toBe(work[1]);
  });

  it('costs as much work whichever challenge it is right for; a wrong one also that of the sync window', async () => {
    const work: number[] = [];
    for (const index of [0, 1, 2, 9]) {
      const scene = await Scene.of({}, ['A1', 'A1', 'A1']);
      await scene.bySerial(index === 9 ? WRONG : scene.response(index));
      work.push(scene.house.computed);
    }
    expect(work).toEqual([30, 30, 30, 3 * 10 + 1_000 - 10]);
  });

  it('costs as much work with a wrong PIN, right or wrong', async () => {
    const work: number[] = [];
    for (const isRight of [true, false]) {
      const scene = await Scene.of({}, ['A1', 'A1']);
      expect(await scene.bySerial(`x${isRight ? scene.response(0) : WRONG}`)).toBe(false);
      work.push(scene.house.computed);
    }
    expect(work[0]).toBe(work[1]);
  });
});

describe('a response of a user with several tokens', () => {
  const KEY_OF_A2 = Buffer.alloc(32, 9);
  const other = (): Partial<NewToken> => ({
    secrets: {
      seed: vault.seal(KEY_OF_A2, 'seed', 'A2'),
      sharedSecret: null,
      nonce: null,
      pin: null,
      ocraPin: null,
    },
  });
  const responseOfA2 = (scene: Scene, index: number): string =>
    computeResponse(parseOcraSuite(COUNTER), KEY_OF_A2, {
      question: scene.issued[index]?.question ?? '',
      counter: 0n,
    });

  it('counts for one that is not locked, so that guessing behind a locked one has a cost', async () => {
    const scene = await Scene.of({ second: { ...other(), failCount: 10, maxFail: 10 } }, ['A1', 'A2']);
    expect(await scene.byUser(responseOfA2(scene, 1))).toBe(false);
    expect(await scene.byUser(WRONG)).toBe(false);
    expect(await scene.state('A1')).toEqual({ failCount: 2, challenges: ['open 2 received'] });
    expect(await scene.state('A2')).toEqual({ failCount: 10, challenges: ['open 0'] });
  });

  it('counts for the newest where all are locked', async () => {
    const scene = await Scene.of({ token: { failCount: 10, maxFail: 10 }, second: other() }, ['A1', 'A2']);
    expect(await scene.byUser(scene.response(0))).toBe(false);
    expect((await scene.state('A1')).failCount).toBe(10);
    expect((await scene.state('A2')).failCount).toBe(11);
  });

  it('verifies the password once, though it is tried on all', async () => {
    const policy = { name: 'pin', scope: 'authentication', action: 'otppin=1', realm: 'alpha' };
    const token = { realms: ['alpha'] };
    const scene = await Scene.of({ token, second: other(), policies: [policy] }, ['A1', 'A2', 'A1']);
    let requested = 0;
    const users = scene.house.users;
    const checkPassword = users.checkPassword.bind(users);
    users.checkPassword = (...given) => {
      requested += 1;
      return checkPassword(...given);
    };
    expect(await scene.byUser(`password${responseOfA2(scene, 1)}`)).toBe(true);
    expect(requested).toBe(1);
  });
});

describe('a token whose key cannot be read', () => {
  /** Both tokens have open challenges; then the key of A2 is spoiled, and A1's, too, where that is wanted. */
  async function sceneWith(spoiled: readonly string[]): Promise<Scene> {
    const scene = await Scene.of({}, ['A1', 'A2']);
    for (const serial of spoiled) {
      await scene.house.held.set(serial, { seed: vault.seal(KEY, 'seed', 'another') });
    }
    return scene;
  }

  it('does not block the responses of the other token', async () => {
    const scene = await sceneWith(['A2']);
    expect(await scene.byUser(scene.response(0))).toBe(true);
    expect(await scene.state('A2')).toMatchObject({ failCount: 0, challenges: ['open 0'] });
  });

  it('does not let responses be guessed at the other token', async () => {
    const scene = await sceneWith(['A2']);
    expect(await scene.byUser(WRONG)).toBe(false);
    expect(await scene.state('A1')).toMatchObject({ failCount: 1 });
  });

  it('is named in the log, as the other token hides the fault from the client', async () => {
    const scene = await sceneWith(['A2']);
    scene.house.warnings.length = 0;
    await scene.byUser(WRONG);
    expect(scene.house.warnings).toEqual([
      {
        message: 'The secrets of a token cannot be read: no response to it is accepted',
        fields: expect.objectContaining({ serial: 'A2', faultDetail: 'seed of A2' }),
      },
    ]);
  });

  it('is a fault where there is no other token', async () => {
    const scene = await sceneWith(['A1', 'A2']);
    await expect(scene.byUser(scene.response(0))).rejects.toMatchObject({ code: 'secret.unreadable' });
  });
});
