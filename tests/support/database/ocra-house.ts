import { Argon2PasswordHasher } from '../../../src/users/password-hash.ts';
import type { Refusal } from '../../../src/audit/refusal-trail.ts';
import { AccessControl } from '../../../src/policy/access-control.ts';
import type { NewToken } from '../../../src/tokens/token.ts';
import type { Owner } from '../../../src/users/user.ts';
import { UserDirectory } from '../../../src/users/user-directory.ts';
import { checkPolicy, type PolicyDraft } from '../../../src/policy/policy.ts';
import { type Random } from '../../../src/kernel/clock.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import type { Log, LogFields } from '../../../src/kernel/log.ts';
import {
  ChallengeFactory,
  ChallengeTrigger,
  hexTransactionIds,
} from '../../../src/challenges/challenge-factory.ts';
import { EnrolmentService } from '../../../src/challenges/enrolment/enrolment-service.ts';
import { responder } from '../../../src/ocra/compute.ts';
import { ChallengeService } from '../../../src/challenges/challenge-service.ts';
import { ResponseChecker } from '../../../src/challenges/response-check.ts';
import { RolloutPhase2 } from '../../../src/challenges/enrolment/rollout-phase2.ts';
import { TokenChoice } from '../../../src/challenges/token-choice.ts';
import { OpenChallenges } from '../../../src/validation/open-challenges.ts';
import { PassChecker } from '../../../src/validation/pass-checker.ts';
import { PassStore } from '../../../src/validation/pass-store.ts';
import { ValidationService } from '../../../src/validation/validation-service.ts';
import type { Responder } from '../../../src/ocra/verify.ts';
import { Vault } from '../../../src/keys/vault.ts';
import { ChallengeIssueStore } from '../../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../../src/challenges/challenge-store.ts';
import { TokenStore } from '../../../src/tokens/token-store.ts';
import { GivenConfiguration } from '../values/configuration-value.ts';
import { tokenValue } from '../values/token-values.ts';
import { sourcesHolding } from '../application/user-sources.ts';
import { type AuditedAct, TokenDatabase } from './token-database.ts';

export const ANNA: Owner = { resolverId: '1', resolver: 'res', userId: 'anna-id', login: 'anna' };
export const BERND: Owner = { resolverId: '1', resolver: 'res', userId: 'bernd-id', login: 'bernd' };
/** The key of the tokens of these tests. */
export const KEY = Buffer.alloc(32, 5);
export const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });

/** The rights in all of these tests: `admin` everything, `bound` in the realm alpha only, others nothing. */
const POLICIES: readonly PolicyDraft[] = [
  { name: 'all', scope: 'admin', action: '*', realm: '*', user: 'admin' },
  { name: 'some', scope: 'admin', action: '*', realm: 'alpha', user: 'bound' },
  { name: 'ocra', scope: 'ocra', action: '*', realm: '*', user: 'admin, bound' },
];

/** The policies and the configuration of a test. */
export interface RulesSketch {
  readonly policies?: readonly PolicyDraft[];
  readonly settings?: Readonly<Record<string, string>>;
}

export interface OcraSketch extends RulesSketch {
  readonly tokens?: readonly NewToken[];
}

/** @returns a token with KEY and an empty PIN, with the given changes */
export function keyedToken(serial: string, changes: Partial<NewToken> = {}): NewToken {
  const { secrets, ...token } = tokenValue(serial, changes);
  const seed = vault.seal(KEY, 'seed', serial);
  return { ...token, secrets: changes.secrets ?? { ...secrets, seed } };
}

/**
 * What the services of OCRA need beside their stores. Realm alpha (the default) has the users anna and bernd, beta has
 * carol. Time stands still unless `clock.at` is set; random values count up, so that none occurs twice.
 */
class OcraRules {
  readonly clock = { at: new Date('2026-11-20T12:00:00Z'), now: (): Date => this.clock.at };
  readonly random: Random = {
    bytes: (size) => Buffer.alloc(size, (this.#drawn += 1)),
    below: (bound) => (this.#drawn += 1) % bound,
  };
  /** The number of responses computed for verification, and of turns waited for. */
  computed = 0;
  turns = 0;
  readonly users: UserDirectory;
  readonly configuration: GivenConfiguration;
  readonly access = new AccessControl({ clock: this.clock });
  readonly check: ResponseChecker;
  #drawn = 0;

  constructor({ policies = [], settings = {} }: RulesSketch = {}) {
    this.configuration = new GivenConfiguration({
      realms: [
        { name: 'alpha', resolvers: ['res'] },
        { name: 'beta', resolvers: ['other'] },
      ],
      resolvers: [
        { id: '1', name: 'res' },
        { id: '2', name: 'other' },
      ],
      policies: [...POLICIES, ...policies].map((draft) => checkPolicy(draft)),
      settings: new Map(Object.entries(settings)),
    });
    const sources = sourcesHolding({ 1: [{ login: 'anna', password: 'password' }, 'bernd'], 2: ['carol'] });
    const users = (this.users = new UserDirectory({ sources }));
    const counting: Responder = (suite, key) => {
      const respond = responder(suite, key);
      return (dataInput) => {
        this.computed += 1;
        return respond(dataInput);
      };
    };
    const turn = (): Promise<void> => {
      this.turns += 1;
      return Promise.resolve();
    };
    this.check = new ResponseChecker({
      vault,
      users,
      clock: this.clock,
      means: { turn, responder: counting },
    });
  }
}

/** The services of OCRA. */
export class OcraHouse extends OcraRules {
  readonly warnings: { message: string; fields: LogFields | undefined }[] = [];
  /** Refusals without a decision. */
  readonly refusals: Refusal[] = [];
  readonly held: TokenDatabase;
  readonly tokens: TokenStore;
  readonly challenges: ChallengeStore;
  readonly issues: ChallengeIssueStore;
  readonly ocra: ChallengeService;
  readonly enrolment: EnrolmentService;
  readonly validation: ValidationService;

  constructor(held: TokenDatabase, sketch: RulesSketch = {}) {
    super(sketch);
    const { clock, random, access, configuration, check, users } = this;
    this.held = held;
    const { database } = held;
    const tokens = (this.tokens = new TokenStore({ database }));
    const challenges = (this.challenges = new ChallengeStore({ database }));
    const issues = (this.issues = new ChallengeIssueStore({ database }));
    const choice = new TokenChoice({ tokens, users });
    const log = this.#log();
    const factory = new ChallengeFactory({
      issues,
      vault,
      clock,
      random,
      log,
      transactionIds: hexTransactionIds,
    });
    const phase2 = new RolloutPhase2({ tokens: choice, issues, factory, vault, random });
    const refusals = {
      note: (refusal: Refusal): Promise<void> => {
        this.refusals.push(refusal);
        return Promise.resolve();
      },
    };
    const confirmations = { isConfirmed: () => Promise.resolve(false) };
    const common = { configuration, access, users, vault, clock, random, refusals, confirmations };
    this.ocra = new ChallengeService({ ...common, tokens: choice, challenges, factory, check });
    this.enrolment = new EnrolmentService({ ...common, phase2, tokenStore: tokens });
    const trigger = new ChallengeTrigger({ ...common, issues, factory, check });
    this.validation = new ValidationService({
      ...common,
      challenges,
      ocra: this.ocra,
      check,
      open: new OpenChallenges({ check, clock, log }),
      passes: new PassStore({ database }),
      passCheck: new PassChecker({ vault, check, passwords: new Argon2PasswordHasher(), log }),
      trigger,
      tokenStore: tokens,
    });
  }

  /** @returns the audit rows of responses */
  async answers(): Promise<readonly AuditedAct[]> {
    return (await this.held.acts()).filter(({ actor }) => actor === '');
  }

  #log(): Log {
    const nothing = (): void => undefined;
    const warn: Log['warn'] = (message, fields) => this.warnings.push({ message, fields });
    return { error: nothing, info: nothing, debug: nothing, warn };
  }
}

/** The place of houses, one after the other. */
export class OcraSite {
  #held: TokenDatabase | undefined;

  async open(): Promise<void> {
    this.#held = await TokenDatabase.create();
  }

  /** @returns a house whose tokens are the only ones, in this order */
  async house({ tokens = [], ...sketch }: OcraSketch = {}): Promise<OcraHouse> {
    if (this.#held === undefined) {
      throw new Error('open() comes first');
    }
    await this.#held.hold(tokens);
    return new OcraHouse(this.#held, sketch);
  }

  async close(): Promise<void> {
    await this.#held?.drop();
  }
}
