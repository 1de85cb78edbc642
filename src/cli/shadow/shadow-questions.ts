import { CliFailure } from '../cli-failure.ts';
import { ADMINISTRATORS_REALM, memberOf } from './comparable-answer.ts';
import type { ShadowAnswer } from './shadowed-server.ts';

/** Endpoints that change nothing. `/monitoring/storageEncryption` writes a probe, and is not among them. */
const READ_ONLY = [
  '/monitoring/tokens',
  '/monitoring/userinfo',
  '/monitoring/activeUsers',
  '/monitoring/config',
  '/monitoring/license',
  '/ocra/checkstatus',
];

const STATUS = encodeURIComponent('assigned,unassigned,active,inactive,unassigned&inactive,assigned&active');
const NO_REALM = encodeURIComponent('/:no realm:/');

/** The question whose answer names the realms of a server. */
export const REALMS_QUESTION = '/monitoring/tokens';

/**
 * @param answers of both servers to `REALMS_QUESTION`
 * @returns questions about all realms that one of them names
 */
export function questionsAbout(answers: readonly ShadowAnswer[]): readonly string[] {
  const names = answers.flatMap(({ body }) => {
    const realms = memberOf(memberOf(memberOf(body, 'result'), 'value'), 'Realms');
    return typeof realms === 'object' && realms !== null ? Object.keys(realms) : [];
  });
  const realms = [...new Set(names)]
    .filter((name) => !name.includes('/') && name !== ADMINISTRATORS_REALM)
    .toSorted();
  return [
    `/monitoring/tokens?status=${STATUS}`,
    '/monitoring/userinfo',
    '/monitoring/activeUsers',
    '/monitoring/config',
    `/monitoring/tokens?realms=${NO_REALM}&status=${STATUS}`,
    ...realms
      .map(encodeURIComponent)
      .flatMap((realm) => [
        `/monitoring/tokens?realms=${realm}&status=${STATUS}`,
        `/monitoring/userinfo?realms=${realm}`,
        `/monitoring/activeUsers?realms=${realm}`,
      ]),
  ];
}

/**
 * Reads questions, one a line: a path with its query, `GET` before it if wanted. Empty lines and those with # are skipped.
 * @throws CliFailure for a line that is none, or whose endpoint is not read-only; without any question
 */
export function parseQuestions(text: string): readonly string[] {
  const questions = text.split(/\r?\n/).flatMap((line, at) => {
    const question = line.trim().replace(/^GET\s+/, '');
    if (question === '' || question.startsWith('#')) {
      return [];
    }
    const [path = ''] = question.split('?');
    if (!READ_ONLY.includes(path) || /\s/.test(question)) {
      throw new CliFailure(
        `line ${at + 1} is no question that changes nothing: one of ${READ_ONLY.join(', ')}, with its query`,
      );
    }
    return [question];
  });
  if (questions.length === 0) {
    throw new CliFailure('the list of questions is empty');
  }
  return questions;
}
