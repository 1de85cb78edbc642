import { Agent, request } from 'node:http';

/** A response to a transaction. */
export interface RacingAnswer {
  /** The URL of the server that gets it. */
  readonly baseUrl: string;
  readonly transactionid: string;
  readonly pass: string;
  /** It is the token's response. */
  readonly right: boolean;
  /** Identifies it in the audit trail. */
  readonly requestId: string;
}

/** The client's answer. */
export interface Reported {
  readonly transactionid: string;
  readonly requestId: string;
  readonly right: boolean;
  readonly status: number;
  readonly failcount: number;
  readonly result: boolean;
}

/** Milliseconds for which an idle connection is kept: fewer than the 65 s after which the server closes it. */
const IDLE_MS = 20_000;

/** Sends responses, as many concurrently as requested, over connections that stay open. */
export class AnswerRace {
  // A request on a connection that the server is closing fails ("socket hang up").
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

  close(): void {
    this.#agent.destroy();
  }

  /** Sends all of them at once. */
  run(answers: readonly RacingAnswer[]): Promise<Reported[]> {
    return Promise.all(answers.map((answer) => this.#send(answer)));
  }

  #send({ baseUrl, transactionid, pass, right, requestId }: RacingAnswer): Promise<Reported> {
    const body = new URLSearchParams({ transactionid, pass }).toString();
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': requestId,
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${baseUrl}/ocra/check_t`,
        { method: 'POST', agent: this.#agent, headers },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(pieces).toString('utf8');
            const value = (JSON.parse(text) as { result: { value?: Pick<Reported, 'failcount' | 'result'> } })
              .result.value;
            if (value === undefined) {
              reject(new Error(`${response.statusCode ?? 0}: ${text}`));
              return;
            }
            resolve({ transactionid, requestId, right, status: response.statusCode ?? 0, ...value });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/**
 * Checks that fail counts can result from a sequential order: each wrong response increases the count by one, each
 * acceptance resets it to 0.
 * @param told the counts in the answers to wrong responses, in any order
 * @param acceptances of the token meanwhile
 * @param final the token's last count
 */
export function isExplainable(reported: readonly number[], acceptances: number, final: number): boolean {
  const times = new Map<number, number>();
  for (const count of reported) {
    times.set(count, (times.get(count) ?? 0) + 1);
  }
  // The last run ends with the final count, so each count up to it occurs once for it.
  for (let count = 1; count <= final; count += 1) {
    const left = (times.get(count) ?? 0) - 1;
    if (left < 0) {
      return false;
    }
    times.set(count, left);
  }
  // The rest are runs 1, 2, … that end with an acceptance: never more of a count than of the one below.
  let below = acceptances;
  for (let count = 1; count <= Math.max(0, ...reported); count += 1) {
    const here = times.get(count) ?? 0;
    if (here > below) {
      return false;
    }
    below = here;
  }
  return true;
}
