import { type Administrator, serialOf } from '../administrators/administrator.ts';
import type { AdministratorStore } from '../administrators/administrator-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { listNames } from '../kernel/text.ts';
import { isOcraToken, isUsable } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { type Consequence, consequence } from './consequence.ts';

interface SignInConsequenceDependencies {
  readonly tokens: Pick<TokenStore, 'findBySerial'>;
  readonly administrators: Pick<AdministratorStore, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Consequences for the sign-ins of administrators. */
export class SignInConsequences {
  readonly #deps: SignInConsequenceDependencies;

  constructor(dependencies: SignInConsequenceDependencies) {
    this.#deps = dependencies;
  }

  /** @param requested the token of the new second factor; undefined: none */
  async ofSecondFactor(
    administrator: Administrator,
    requested: { readonly serial: string } | undefined,
  ): Promise<readonly Consequence[]> {
    const { name, secondFactor } = administrator;
    return [
      { code: 'administrator.sessions', text: `all sessions of ${name} end` },
      ...consequence(
        secondFactor?.kind === 'passkey',
        'second-factor.passkeys',
        `the passkeys of ${name} are removed`,
      ),
      ...(requested === undefined
        ? ofRemoval(administrator)
        : await this.#ofToken(administrator, requested.serial)),
    ];
  }

  async #ofToken({ name, secondFactor }: Administrator, serial: string): Promise<readonly Consequence[]> {
    const administrators = await this.#deps.administrators.list();
    const token = await this.#deps.tokens.findBySerial(serial);
    const canAnswer =
      token !== undefined &&
      isOcraToken(token) &&
      isUsable(token, this.#deps.clock.now()) &&
      token.rollout === 'complete';
    return [
      ...consequence(
        secondFactor === undefined,
        'second-factor.programs',
        `programs that show the password of ${name} are refused: they need an API token`,
      ),
      ...consequence(!canAnswer, 'second-factor.unusable', `${serial} cannot answer: ${name} cannot sign in`),
      ...consequence(
        administrators.length === 1,
        'second-factor.last',
        `${name} is the only administrator: without the token, only commands on this machine let anybody in`,
      ),
    ];
  }

  /** @param serials tokens that the act removes, switches off or replaces */
  async ofTokens(serials: readonly string[]): Promise<readonly Consequence[]> {
    const names = (await this.#deps.administrators.list())
      .filter(({ secondFactor }) => serials.includes(serialOf(secondFactor) ?? ''))
      .map(({ name }) => name);
    return consequence(
      names.length > 0,
      'second-factor.lost',
      `${listNames(names)} cannot sign in without ${names.length === 1 ? 'this second factor' : 'these second factors'}`,
    );
  }
}

function ofRemoval({ name, secondFactor }: Administrator): readonly Consequence[] {
  return consequence(secondFactor !== undefined, 'second-factor.none', `the password alone signs ${name} in`);
}
