import { ChallengeFactory, hexTransactionIds } from '../../challenges/challenge-factory.ts';
import { ChallengeService } from '../../challenges/challenge-service.ts';
import { EnrolmentService } from '../../challenges/enrolment/enrolment-service.ts';
import { RolloutPhase2 } from '../../challenges/enrolment/rollout-phase2.ts';
import { TokenImportService } from '../../challenges/enrolment/token-import-service.ts';
import { TokenRegistration } from '../../challenges/enrolment/token-registration.ts';
import { nodeResponder } from '../../challenges/node-responder.ts';
import { OpenAnswers } from '../../challenges/open-answers.ts';
import { ResponseChecker } from '../../challenges/response-check.ts';
import { StatusWaitService } from '../../challenges/status-wait-service.ts';
import { StatusWatch } from '../../challenges/status-watch.ts';
import { ResynchronisationService } from '../../challenges/resynchronisation-service.ts';
import { TokenChoice } from '../../challenges/token-choice.ts';
import { TransactionService } from '../../challenges/transaction-service.ts';
import { ValidationService } from '../../challenges/validation-service.ts';
import { ComputingTurns } from '../../challenges/computing-turns.ts';
import { AuditStore } from '../../audit/audit-store.ts';
import { ChallengeStore } from '../../challenges/challenge-store.ts';
import { TransactionStore } from '../../challenges/transaction-store.ts';
import { WatchedChallenges } from '../../challenges/watched-challenges-store.ts';
import { LockedTokens } from '../../challenges/resynchronisation-store.ts';
import { TokenStore } from '../../tokens/token-store.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The life of challenges, and the enrolment of the tokens that answer them. */
export interface ChallengeServices {
  readonly ocra: ChallengeService;
  readonly enrolment: EnrolmentService;
  readonly resynchronisation: ResynchronisationService;
  readonly tokenImport: TokenImportService;
  readonly validation: ValidationService;
  readonly transactions: TransactionService;
  readonly statusWaits: StatusWaitService;
  /** Receives changes; the server ends it before it waits for its requests. Undefined in a command. */
  readonly statusWatch: StatusWatch | undefined;
}

/** The most requests that wait for the state of a transaction. */
const STATUS_WAITS = 500;

export function challengeServices(parts: SharedParts): ChallengeServices {
  const { database, random, users, responder = nodeResponder, transactionIds = hexTransactionIds } = parts;
  const store = new TokenStore({ database });
  const tokens = new TokenChoice({ tokens: store, users });
  const factory = new ChallengeFactory({ ...parts, transactionIds });
  const challenges = new ChallengeStore({ database, metrics: parts.metrics.challenges });
  const shared = { ...parts, tokens, challenges, factory };
  const turns = new ComputingTurns();
  const means = { turn: (isUrgent: boolean) => turns.next(isUrgent), responder };
  const check = new ResponseChecker({ ...parts, means });
  const ocra = new ChallengeService({ ...shared, check });
  const watch = new StatusWatch({
    watched: new WatchedChallenges({ database }),
    metrics: parts.metrics.statusWaits,
    max: parts.statusWaits ?? STATUS_WAITS,
    poll: parts.statusPoll,
  });
  const openAnswers = new OpenAnswers({ ...shared, check });
  return {
    ocra,
    statusWaits: new StatusWaitService({ ...parts, ocra, watch, metrics: parts.metrics.statusWaits }),
    statusWatch: watch,
    validation: new ValidationService({ ...shared, ocra, openAnswers }),
    transactions: new TransactionService({
      ...parts,
      transactions: new TransactionStore({ database }),
      trail: new AuditStore({ database }),
    }),
    tokenImport: new TokenImportService({
      ...shared,
      // Loaded on use: the start would wait for the libraries.
      readers: {
        pskc: {
          read: async (text, secrets) => {
            const { pskcFileReader } = await import('../../security/pskc/pskc-file.ts');
            return pskcFileReader.read(text, secrets);
          },
        },
        csv: {
          read: async (text, secrets) => {
            const { csvKeyFileReader } = await import('../../security/csv-key-file.ts');
            return csvKeyFileReader.read(text, secrets);
          },
        },
      },
      tokens: store,
    }),
    resynchronisation: new ResynchronisationService({ ...shared, locked: new LockedTokens({ database }) }),
    enrolment: new EnrolmentService({
      ...shared,
      registration: new TokenRegistration({ tokens: store, random }),
      phase2: new RolloutPhase2(shared),
    }),
  };
}
