import { Agent, request } from 'node:http';

/** A response on its way to a transaction. */
export interface RacingAnswer {
  /** Of the server that gets it. */
  readonly baseUrl: string;
  readonly transactionid: string;
  readonly pass: string;
  /** Whether it is the token's response. */
  readonly right: boolean;
  /** Names it in the audit trail. */
  readonly requestId: string;
}

/** What the client of one answer was told. */
export interface Told {
  readonly transactionid: string;
  readonly requestId: string;
  readonly right: boolean;
  readonly status: number;
  readonly failcount: number;
  readonly result: boolean;
}

/** Sends responses, as many at once as are asked for, over connections that stay open. */
export class AnswerRace {
  readonly #agent = new Agent({ keepAlive: true });

  close(): void {
    this.#agent.destroy();
  }

  /** All of them at once. */
  run(answers: readonly RacingAnswer[]): Promise<Told[]> {
    return Promise.all(answers.map((answer) => this.#send(answer)));
  }

  #send({ baseUrl, transactionid, pass, right, requestId }: RacingAnswer): Promise<Told> {
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
            const value = (JSON.parse(text) as { result: { value?: Pick<Told, 'failcount' | 'result'> } })
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
 * Whether fail counts can come about one after the other: each wrong response counts one more than the last, each
 * acceptance begins again at 0.
 * @param told the counts that came with wrong responses, in any order
 * @param acceptances of the token meanwhile
 * @param final the token's count in the end
 */
export function isExplainable(told: readonly number[], acceptances: number, final: number): boolean {
  const times = new Map<number, number>();
  for (const count of told) {
    times.set(count, (times.get(count) ?? 0) + 1);
  }
  // The last run ends with the final count, so each count up to that is there once for it.
  for (let count = 1; count <= final; count += 1) {
    const left = (times.get(count) ?? 0) - 1;
    if (left < 0) {
      return false;
    }
    times.set(count, left);
  }
  // What is left are runs 1, 2, … that end with an acceptance: never more of a count than of the one below.
  let below = acceptances;
  for (let count = 1; count <= Math.max(0, ...told); count += 1) {
    const here = times.get(count) ?? 0;
    if (here > below) {
      return false;
    }
    below = here;
  }
  return true;
}
