import type { ServiceError } from '../../kernel/errors.ts';
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
import type { Asked } from '../request/exchange.ts';
import type { FailureForm } from '../failures.ts';
import type { PictureWish } from '../qr-picture.ts';
import type { Reply } from '../reply.ts';
import type { AdministrationShapes } from './shared/administration-shapes.ts';

/** A failure on its way to the client. */
export interface Failure {
  readonly error: ServiceError;
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

  issuedChallenge(issued: IssuedChallenge, asked: Asked, picture?: PictureWish): Promise<Reply>;
  checkedTransaction(checked: CheckedTransaction, asked: Asked): Reply;
  transactionStatus(entries: readonly StatusEntry[], asked: Asked): Reply;
  activationCode(code: string, asked: Asked): Reply;
  calculatedOtp(otp: string, asked: Asked): Reply;
  enrolled(enrolled: Enrolled, asked: Asked, picture?: PictureWish): Promise<Reply>;
  loggedIn(administrator: string, asked: Asked): Reply;
  loginRefused(asked: Asked): Reply;
  loggedOut(administrator: string, asked: Asked): Reply;
  /** @param done whether the token is in step again */
  resynchronised(done: boolean, asked: Asked): Reply;
  tokensLoaded(count: number, asked: Asked): Reply;
  validated(result: boolean, asked: Asked): Reply;
  validatedTransaction(validated: ValidatedTransaction, asked: Asked): Reply;
  /** Something was done, and there is nothing more to say of it. */
  done(asked: Asked): Reply;

  /** How administration is shaped; `administered` sends it. */
  readonly administration: AdministrationShapes;
  /** @param value shaped by `administration` */
  administered(value: unknown, asked: Asked): Reply;

  tokenReport(report: TokenReport, asked: Asked): Reply;
  userReport(report: UserReport, asked: Asked): Reply;
  activeUserReport(report: ActiveUserReport, asked: Asked): Reply;
  configurationReport(report: ConfigurationReport, asked: Asked): Reply;
  licenseReport(report: LicenseReport, asked: Asked): Reply;
  storageEncryption(encrypted: boolean, asked: Asked): Reply;

  /** @returns the number of the error, as the configuration value `errors` names it */
  errorCode(failure: Pick<Failure, 'error' | 'form'>, asked: Asked): number;
  /** The reply has the status of the failure; further headers are added by the caller. */
  failure(failure: Failure, asked: Asked): Reply;
}
