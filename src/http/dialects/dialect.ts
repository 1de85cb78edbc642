import type { AnyServiceError } from '../../kernel/errors.ts';
import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenseReport,
  TokenReport,
  UserReport,
} from '../../monitoring/outcomes.ts';
import type { Enrolled } from '../../challenges/enrolment/enrolment.ts';
import type { CheckedTransaction, IssuedChallenge, StatusEntry } from '../../challenges/challenge-service.ts';
import type { ValidatedTransaction } from '../../challenges/validation-service.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { FailureForm } from '../failures.ts';
import type { QrOptions } from '../qr-picture.ts';
import type { Reply } from '../reply.ts';
import type { AdministrationShapes } from './shared/administration-shapes.ts';

/** A failure on its way to the client. */
export interface Failure {
  readonly error: AnyServiceError;
  readonly form: FailureForm;
  /** The HTTP status, with all that bears on it. */
  readonly status: number;
  /** The status that the client asks for by `httperror`, also where the failure keeps its own; undefined: none. */
  readonly wished: number | undefined;
}

/**
 * How outcomes look on the wire, and nothing else: names, shapes, texts, blanks. What happens and who may do it is the
 * same in every dialect. A further dialect is a further file that implements this.
 */
export interface Dialect {
  /** Whether /ocra/request insists on the parameter `data`. */
  readonly requiresDisplayData: boolean;
  /**
   * @param given the text that the client gives, if it does
   * @returns what an activation code is made from; undefined: random bytes
   * @throws ServiceError 'parameter.invalid'
   */
  activationCodeSource(given: string | undefined): string | undefined;
  /** Which value counts of a parameter that is given repeatedly to /monitoring. */
  readonly repeatedInMonitoring: 'first' | 'last';
  /** @returns the patterns of the router that lead to the endpoint of that path */
  routes(path: string): string[];

  issuedChallenge(issued: IssuedChallenge, context: RequestContext, picture?: QrOptions): Promise<Reply>;
  checkedTransaction(checked: CheckedTransaction, context: RequestContext): Reply;
  transactionStatus(entries: readonly StatusEntry[], context: RequestContext): Reply;
  activationCode(code: string, context: RequestContext): Reply;
  calculatedOtp(otp: string, context: RequestContext): Reply;
  enrolled(enrolled: Enrolled, context: RequestContext, picture?: QrOptions): Promise<Reply>;
  loggedIn(administrator: string, context: RequestContext): Reply;
  loginRefused(context: RequestContext): Reply;
  loggedOut(administrator: string, context: RequestContext): Reply;
  /** @param done whether the token is in step again */
  resynchronised(done: boolean, context: RequestContext): Reply;
  tokensLoaded(count: number, context: RequestContext): Reply;
  validated(result: boolean, context: RequestContext): Reply;
  validatedTransaction(validated: ValidatedTransaction, context: RequestContext): Reply;
  /** Something was done, and there is nothing more to say of it. */
  done(context: RequestContext): Reply;

  /** How administration is shaped; `administered` sends it. */
  readonly administration: AdministrationShapes;
  /** @param value shaped by `administration` */
  administered(value: unknown, context: RequestContext): Reply;

  tokenReport(report: TokenReport, context: RequestContext): Reply;
  userReport(report: UserReport, context: RequestContext): Reply;
  activeUserReport(report: ActiveUserReport, context: RequestContext): Reply;
  configurationReport(report: ConfigurationReport, context: RequestContext): Reply;
  licenseReport(report: LicenseReport, context: RequestContext): Reply;
  storageEncryption(encrypted: boolean, context: RequestContext): Reply;

  /** @returns the number of the error, as the configuration value `errors` names it */
  errorCode(failure: Pick<Failure, 'error' | 'form'>, context: RequestContext): number;
  /** The reply has the status of the failure; further headers are added by the caller. */
  failure(failure: Failure, context: RequestContext): Reply;
}
