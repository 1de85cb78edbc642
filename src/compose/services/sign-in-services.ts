import type { AdministratorService } from '../../administrators/administrator-service.ts';
import type { LoginService } from '../../administrators/login-service.ts';
import { ConfirmationService } from '../../administrators/confirmation-service.ts';
import { PasskeyService } from '../../administrators/passkey-service.ts';
import { SecondFactorService } from '../../administrators/second-factor-service.ts';
import { SecondStep } from '../../administrators/second-step.ts';
import { SessionService } from '../../administrators/session-service.ts';
import type { SignInMethods } from '../../http/controllers/sign-in/sign-in-controller.ts';
import { SignInService } from '../../administrators/sign-in-service.ts';
import { SingleSignOnService } from '../../administrators/single-sign-on-service.ts';
import type { ChallengeService } from '../../challenges/challenge-service.ts';
import { SignInChallenges } from '../../challenges/sign-in-challenges.ts';
import { OpenidProvider } from '../../security/openid-provider.ts';
import { SealedSignOns } from '../../security/sealed-sign-ons.ts';
import { SimpleWebAuthn } from '../../security/simple-web-authn.ts';
import { PasskeyStore } from '../../administrators/passkey-store.ts';
import { SecondFactorStore } from '../../administrators/second-factor-store.ts';
import { SessionStore } from '../../administrators/session-store.ts';
import { SignInStore } from '../../administrators/sign-in-store.ts';
import { TokenStore } from '../../tokens/token-store.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The sign-ins of people, and what they leave open. */
export interface SignInServices {
  readonly signIn: SignInService;
  readonly passkeys: PasskeyService;
  readonly secondFactors: SecondFactorService;
  readonly confirmation: ConfirmationService;
  readonly sessions: SessionService;
  readonly signInMethods: SignInMethods;
  /** Undefined: it is not configured. */
  readonly singleSignOn: SingleSignOnService | undefined;
}

interface SignInParts {
  readonly administrators: AdministratorService;
  readonly logins: Pick<LoginService, 'openLogin' | 'sign'>;
  readonly ocra: Pick<ChallengeService, 'requestChallenge' | 'checkTransaction' | 'status'>;
}

/** @returns the ways to sign in besides the password, for the page */
function signInMethods({
  publicUrl,
  singleSignOn,
}: Pick<SharedParts, 'publicUrl' | 'singleSignOn'>): SignInMethods {
  return {
    passkeys: publicUrl !== undefined,
    singleSignOn: singleSignOn && { provider: singleSignOn.provider },
  };
}

export function signInServices(
  shared: SharedParts,
  { administrators, logins, ocra }: SignInParts,
): SignInServices {
  const { publicUrl, singleSignOn } = shared;
  const parts = { ...shared, administrators, logins };
  const attempts = new SignInStore(shared);
  const tokens = new SignInChallenges({ ocra, tokens: new TokenStore(shared), clock: shared.clock });
  const passkeys = new PasskeyService({
    ...parts,
    attempts,
    passkeys: new PasskeyStore(shared),
    webAuthn: publicUrl === undefined ? undefined : new SimpleWebAuthn({ publicUrl }),
  });
  const secondStep = new SecondStep({ tokens, passkeys });
  const host = publicUrl === undefined ? 'tankeeper' : new URL(publicUrl).host;
  return {
    passkeys,
    signIn: new SignInService({ ...parts, attempts, secondStep, host }),
    confirmation: new ConfirmationService({ ...parts, attempts, secondStep, host }),
    secondFactors: new SecondFactorService({
      ...parts,
      attempts,
      tokens,
      secondFactors: new SecondFactorStore(shared),
    }),
    singleSignOn:
      singleSignOn &&
      new SingleSignOnService({
        ...parts,
        ...singleSignOn,
        attempts,
        seal: new SealedSignOns({ keys: shared.vault }),
        provider: new OpenidProvider({ ...singleSignOn, log: shared.log, clock: shared.clock }),
      }),
    signInMethods: signInMethods(shared),
    sessions: new SessionService({ ...shared, sessions: new SessionStore(shared) }),
  };
}
