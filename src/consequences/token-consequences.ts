import { listNames } from '../kernel/text.ts';
import { boundOf, isUsable, readUse, type Token, type UseBound, type UseSettings } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { nothingSelected } from '../tokens/token-selection.ts';
import { type Consequence, consequence, countText } from './consequence.ts';

/** Tokens and owners that are examined for one question. */
const MAX_TOKENS = 100;

const BOUNDS: Readonly<Record<UseBound, string>> = {
  early: 'its period begins later',
  expired: 'its period has ended',
  'used-up': 'it has been used as often as it may',
};

type TokenReads = Pick<TokenStore, 'findBySerial' | 'count'>;

/** Consequences of acts on tokens and their owners; one read each of at most a hundred tokens. */
export class TokenConsequences {
  readonly #tokens: TokenReads;

  constructor({ tokens }: { readonly tokens: TokenReads }) {
    this.#tokens = tokens;
  }

  /** @throws ServiceError 'token.unknown' */
  async ofRemoval(serials: readonly string[]): Promise<readonly Consequence[]> {
    const found = await this.#find(serials);
    return [
      ...consequence(
        found.length > 0,
        'token.key',
        `the ${found.length === 1 ? 'key' : 'keys'} of ${listNames(found.map(({ serial }) => serial))} ${found.length === 1 ? 'is' : 'are'} gone for good`,
      ),
      ...(await this.#lockedOut(found)),
    ];
  }

  /** Of switching tokens off, or taking them from their owners. @throws ServiceError 'token.unknown' */
  async ofWithdrawal(serials: readonly string[]): Promise<readonly Consequence[]> {
    return this.#lockedOut(await this.#find(serials));
  }

  /**
   * Of a change of its period or its counts.
   * @returns undefined where it goes on to take responses, or takes none as it is
   * @throws ServiceError 'token.unknown', 'parameter.invalid'
   */
  async ofUse(serial: string, settings: UseSettings, now: Date): Promise<readonly Consequence[] | undefined> {
    const [token] = await this.#find([serial]);
    const use = token && { ...token.use, ...readUse(settings, token.use) };
    const bound = use && boundOf(use, now);
    return token === undefined || bound === undefined || !isUsable(token, now)
      ? undefined
      : [
          { code: 'token.use', text: `${serial} takes no responses from now on: ${BOUNDS[bound]}` },
          ...(await this.#lockedOut([token])),
        ];
  }

  /** @throws ServiceError 'token.unknown' */
  async ofPinRemoval(serial: string, pin: 'pin' | 'ocraPin'): Promise<readonly Consequence[]> {
    const [token] = await this.#find([serial]);
    return consequence(
      (token?.secrets[pin] ?? null) !== null,
      'token.pin',
      pin === 'pin'
        ? `the PIN of ${serial} is gone for good: anyone with the device answers without it`
        : `the OCRA PIN of ${serial} is gone for good: responses that the device computes with it are refused`,
    );
  }

  /** Of an enrolment under a serial that there is already. */
  async ofNewKey(serial: string): Promise<readonly Consequence[]> {
    const token = await this.#tokens.findBySerial(serial);
    return token === undefined
      ? []
      : [
          {
            code: 'token.replaced',
            text: `there is a token ${token.serial}: its key is replaced, and the device that has it now is refused`,
          },
        ];
  }

  /**
   * @param realms the new realms of the token
   * @throws ServiceError 'token.unknown'
   */
  async ofRealms(serial: string, realms: readonly string[]): Promise<readonly Consequence[]> {
    const [token] = await this.#find([serial]);
    const requested = new Set(realms.map((name) => name.trim().toLowerCase()));
    const left = (token?.realms ?? []).filter((name) => !requested.has(name));
    return [
      ...consequence(
        left.length > 0,
        'token.realms',
        `${serial} leaves ${listNames(left)}: policies and administrators of ${left.length === 1 ? 'this realm' : 'these realms'} no longer apply to it`,
      ),
      ...consequence(left.length > 0 && requested.size === 0, 'token.no-realm', 'it is in no realm then'),
    ];
  }

  /** @param owner a user whom the act removes */
  async ofOwner(owner: {
    readonly resolverId: string;
    readonly userId: string;
  }): Promise<readonly Consequence[]> {
    const tokens = await this.#tokens.count({ owner });
    return consequence(
      tokens > 0,
      'user.tokens',
      `${countText(tokens, 'token')} ${tokens === 1 ? 'becomes' : 'become'} unassigned, and open challenges close`,
      { count: tokens },
    );
  }

  async #find(serials: readonly string[]): Promise<readonly Token[]> {
    const found: Token[] = [];
    for (const serial of [...new Set(serials)].slice(0, MAX_TOKENS)) {
      found.push((await this.#tokens.findBySerial(serial)) ?? nothingSelected({ serial }));
    }
    return found;
  }

  /** @returns the owners who have no active token besides these */
  async #lockedOut(tokens: readonly Token[]): Promise<readonly Consequence[]> {
    const active = tokens.filter((token) => token.active && token.owner !== null);
    const owners = new Map(
      active.map(({ owner }) => [`${owner?.resolverId ?? ''} ${owner?.userId ?? ''}`, owner]),
    );
    const lockedOut: string[] = [];
    for (const owner of owners.values()) {
      if (owner !== null) {
        const all = await this.#tokens.count({ owner, active: true });
        const these = active.filter(
          (token) => token.owner?.userId === owner.userId && token.owner.resolverId === owner.resolverId,
        );
        if (all <= these.length) {
          lockedOut.push(owner.login);
        }
      }
    }
    return consequence(
      lockedOut.length > 0,
      'token.last',
      `${listNames(lockedOut)} ${lockedOut.length === 1 ? 'has' : 'have'} no other active token`,
    );
  }
}
