import { z } from 'zod';
import { type Answers, type DialectAnswers, type EnvelopeAnswer, valueOf } from '../../answers.ts';

const message = z.strictObject({ message: z.string() });
const DONE: DialectAnswers = valueOf(z.literal(true));
const DONE_WITH_MESSAGE: DialectAnswers = valueOf(z.literal(true), { detail: message });
const REFUSED: EnvelopeAnswer = { result: { value: z.literal(false) }, detail: message };

/** The answers of /admin/login. */
export const LOGGED_IN: Answers = {
  documented: { ...DONE, refusal: 'failure' },
  linotp: { ...DONE_WITH_MESSAGE, refusal: REFUSED },
};

/** The answers of /admin/logout. */
export const LOGGED_OUT: Answers = { documented: DONE, linotp: DONE_WITH_MESSAGE };
