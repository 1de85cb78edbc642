import type { IssuedChallenge } from '../../challenges/challenge-factory.ts';
import type { CheckedTransaction, StatusEntry } from '../../challenges/challenge-service.ts';
import type { Enrolled } from '../../challenges/enrolment/enrolment.ts';
import type { Validated, ValidatedTransaction } from '../../validation/validation-service.ts';
import type { AnyServiceError } from '../../kernel/errors.ts';
import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenceReport,
  TokenReport,
  UserReport,
} from '../../monitoring/reports.ts';
import type { FailureForm } from '../failures.ts';
import type { QrOptions } from '../qr-picture.ts';
import type { Reply } from '../reply.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { Realm, Resolver } from '../../configuration/configuration.ts';
import type { SettingsInForce } from '../../configuration/setting-service.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { TokenPage } from '../../tokens/token-selection.ts';

/** The dialects by their names in WIRE_DIALECT: the published interface, and LinOTP's. */
export type DialectName = 'documented' | 'linotp';

/**
 * The form of outcomes on the wire: names, shapes, texts, blanks. Behaviour and rights are the same in every dialect.
 * Each group serves one controller.
 */
export interface Dialect {
  readonly name: DialectName;
  /** @returns the patterns of the router that lead to the endpoint of that path */
  routes(path: string): string[];
  /** Outcomes of /ocra. */
  readonly ocra: {
    /**
     * @param text the client's text, if any
     * @returns the text that an activation code encodes; undefined: random bytes
     * @throws ServiceError 'parameter.invalid'
     */
    activationCodeSource(text: string | undefined): string | undefined;
    issuedChallenge(issued: IssuedChallenge, context: RequestContext, picture?: QrOptions): Reply;
    checkedTransaction(checked: CheckedTransaction, context: RequestContext): Reply;
    transactionStatus(entries: readonly StatusEntry[], context: RequestContext): Reply;
  };
  /** Outcomes of /validate. */
  readonly validate: {
    /**
     * @param refusal of a parameter, for the detail; undefined: none
     * @param value default: true or false, as `validated` says
     */
    validated(
      validated: Validated,
      context: RequestContext,
      refusal: { readonly message: string } | undefined,
      value?: unknown,
    ): Reply;
    validatedTransaction(validated: ValidatedTransaction, context: RequestContext): Reply;
  };
  /** Outcomes of /admin/init. */
  readonly enrolment: {
    enrolled(enrolled: Enrolled, context: RequestContext, picture?: QrOptions): Reply;
  };
  /** Outcomes of /admin/login and /admin/logout. */
  readonly login: {
    loggedIn(administrator: string, context: RequestContext): Reply;
    loginRefused(context: RequestContext): Reply;
    loggedOut(administrator: string, context: RequestContext): Reply;
  };
  /** Outcomes of the rest of /admin, and of /system. */
  readonly administration: {
    /**
     * Answers with a value that is the same in every dialect.
     * @param further members of `result`
     */
    value(
      content: unknown,
      context: RequestContext,
      detail?: Readonly<Record<string, unknown>>,
      further?: Readonly<Record<string, unknown>>,
    ): Reply;
    tokenPage(page: TokenPage, context: RequestContext): Reply;
    /** Tokens as CSV. */
    readonly tokenTable: {
      readonly separator: ',' | ';';
      readonly columns: readonly string[];
      rows(page: TokenPage): readonly Readonly<Record<string, unknown>>[];
    };
    /** @param names the parameters that were set, by their names in the interface */
    setTokens(
      names: readonly string[],
      count: number,
      context: RequestContext,
      detail?: Readonly<Record<string, unknown>>,
    ): Reply;
    policies(policies: readonly Policy[], context: RequestContext): Reply;
    storedPolicy(policy: Policy, context: RequestContext, detail?: Readonly<Record<string, unknown>>): Reply;
    removedPolicy(name: string, context: RequestContext): Reply;
    resolvers(resolvers: readonly Resolver[], context: RequestContext): Reply;
    resolver(resolver: Resolver, context: RequestContext): Reply;
    /** @param resolvers all resolvers; realms contain the names of theirs only */
    realms(realms: readonly Realm[], resolvers: readonly Resolver[], context: RequestContext): Reply;
    removedRealm(name: string, context: RequestContext): Reply;
    configuration(settings: SettingsInForce, context: RequestContext): Reply;
    /** Answers with one value, or null where there is none. */
    configurationValue(settings: SettingsInForce, key: string, context: RequestContext): Reply;
    storedConfiguration(
      entries: ReadonlyMap<string, string>,
      context: RequestContext,
      detail?: Readonly<Record<string, unknown>>,
    ): Reply;
    removedConfiguration(key: string, context: RequestContext): Reply;
  };
  /** Outcomes of /monitoring. */
  readonly monitoring: {
    tokenReport(report: TokenReport, context: RequestContext): Reply;
    userReport(report: UserReport, context: RequestContext): Reply;
    activeUserReport(report: ActiveUserReport, context: RequestContext): Reply;
    configurationReport(report: ConfigurationReport, context: RequestContext): Reply;
    licenceReport(report: LicenceReport, context: RequestContext): Reply;
    storageEncryption(encrypted: boolean, context: RequestContext): Reply;
  };
  /** Answers to requests that failed. */
  readonly failures: {
    /** @returns the number of the error, as in the configuration value `errors` */
    errorCode(failure: Pick<Failure, 'error' | 'form'>, context: RequestContext): number;
    /** @returns a reply with the status of the failure; the caller adds further headers */
    failure(failure: Failure, context: RequestContext): Reply;
  };
}

/** A failure on its way to the client. */
export interface Failure {
  readonly error: AnyServiceError;
  readonly form: FailureForm;
  /** The HTTP status, with `httperror` applied. */
  readonly status: number;
  /** The status that the client requests by `httperror`, even where the failure keeps its own; undefined: none. */
  readonly requestedStatus: number | undefined;
}
