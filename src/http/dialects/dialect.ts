import type { CheckedTransaction, IssuedChallenge, StatusEntry } from '../../challenges/challenge-service.ts';
import type { Enrolled } from '../../challenges/enrolment/enrolment.ts';
import type { ValidatedTransaction } from '../../challenges/validation-service.ts';
import type { AnyServiceError } from '../../kernel/errors.ts';
import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenseReport,
  TokenReport,
  UserReport,
} from '../../monitoring/outcomes.ts';
import type { FailureForm } from '../failures.ts';
import type { QrOptions } from '../qr-picture.ts';
import type { Reply } from '../reply.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { AdministrationShapes } from './shared/administration-shapes.ts';

/**
 * The looks of outcomes on the wire, and nothing else: names, shapes, texts, blanks. What happens and who may do it is the
 * same in every dialect. Each group is what one controller needs. A further dialect is a further implementation.
 */
export interface Dialect {
  /** @returns the patterns of the router that lead to the endpoint of that path */
  routes(path: string): string[];
  readonly ocra: OcraDialect;
  readonly validate: ValidateDialect;
  readonly enrolment: EnrolmentDialect;
  readonly login: LoginDialect;
  readonly administration: AdministrationDialect;
  readonly monitoring: MonitoringDialect;
  readonly failures: FailureDialect;
}

/** Outcomes of /ocra. */
export interface OcraDialect {
  /** Whether /ocra/request insists on the parameter `data`. */
  readonly requiresDisplayData: boolean;
  /**
   * @param given the text that the client gives, if it does
   * @returns what an activation code is made from; undefined: random bytes
   * @throws ServiceError 'parameter.invalid'
   */
  activationCodeSource(given: string | undefined): string | undefined;
  issuedChallenge(issued: IssuedChallenge, context: RequestContext, picture?: QrOptions): Promise<Reply>;
  checkedTransaction(checked: CheckedTransaction, context: RequestContext): Reply;
  transactionStatus(entries: readonly StatusEntry[], context: RequestContext): Reply;
  activationCode(code: string, context: RequestContext): Reply;
  calculatedOtp(otp: string, context: RequestContext): Reply;
}

/** Outcomes of /validate. */
export interface ValidateDialect {
  validated(result: boolean, context: RequestContext): Reply;
  validatedTransaction(validated: ValidatedTransaction, context: RequestContext): Reply;
}

/** Outcomes of /admin/init and /admin/loadtokens. */
export interface EnrolmentDialect {
  enrolled(enrolled: Enrolled, context: RequestContext, picture?: QrOptions): Promise<Reply>;
  tokensLoaded(count: number, context: RequestContext): Reply;
}

/** Outcomes of /admin/login and /admin/logout. */
export interface LoginDialect {
  loggedIn(administrator: string, context: RequestContext): Reply;
  loginRefused(context: RequestContext): Reply;
  loggedOut(administrator: string, context: RequestContext): Reply;
}

/** Outcomes of the rest of /admin, and of /system. */
export interface AdministrationDialect {
  readonly shapes: AdministrationShapes;
  /** @param content shaped by `shapes` */
  value(content: unknown, context: RequestContext): Reply;
  /** The answer to an act of which there is nothing more to say. */
  done(context: RequestContext): Reply;
  /** @param done whether the token is in step again */
  resynchronised(done: boolean, context: RequestContext): Reply;
}

/** Outcomes of /monitoring. */
export interface MonitoringDialect {
  /** Which value of a repeated parameter counts. */
  readonly repeated: 'first' | 'last';
  tokenReport(report: TokenReport, context: RequestContext): Reply;
  userReport(report: UserReport, context: RequestContext): Reply;
  activeUserReport(report: ActiveUserReport, context: RequestContext): Reply;
  configurationReport(report: ConfigurationReport, context: RequestContext): Reply;
  licenseReport(report: LicenseReport, context: RequestContext): Reply;
  storageEncryption(encrypted: boolean, context: RequestContext): Reply;
}

/** A failure on its way to the client. */
export interface Failure {
  readonly error: AnyServiceError;
  readonly form: FailureForm;
  /** The HTTP status, with all that bears on it. */
  readonly status: number;
  /** The status that the client asks for by `httperror`, also where the failure keeps its own; undefined: none. */
  readonly requestedStatus: number | undefined;
}

/** Answers to requests that failed. */
export interface FailureDialect {
  /** @returns the number of the error, as the configuration value `errors` names it */
  errorCode(failure: Pick<Failure, 'error' | 'form'>, context: RequestContext): number;
  /** The reply has the status of the failure; further headers are added by the caller. */
  failure(failure: Failure, context: RequestContext): Reply;
}
