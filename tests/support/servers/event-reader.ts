import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';

/** An event as EventSource gets it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

/** A reader of a stream of events. */
export class EventReader {
  readonly response: IncomingMessage;
  /** All that was sent. */
  text = '';
  #taken = 0;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8').on('data', (text: string) => (this.text += text));
    response.on('error', () => undefined);
  }

  /**
   * @param headers with the cookies of a login
   * @param authority the certificate of the authority that has signed the server's, in PEM, for https
   */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>>,
    authority?: string,
  ): Promise<EventReader> {
    const options = { headers, agent: false } as const;
    const sent =
      authority === undefined ? request(url, options) : requestSecurely(url, { ...options, ca: authority });
    // A server that is killed resets the connection: the stream then ends.
    sent.on('error', () => undefined).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return new EventReader(response);
  }

  /** @returns the next event, when it comes; undefined: the stream has ended */
  async next(): Promise<ReceivedEvent | undefined> {
    for (;;) {
      const event = this.#events()[this.#taken];
      if (event !== undefined) {
        this.#taken += 1;
        return event;
      }
      if (this.response.readableEnded || this.response.destroyed) {
        return undefined;
      }
      await Promise.race([once(this.response, 'data').catch(() => undefined), once(this.response, 'close')]);
    }
  }

  /** Leaves. */
  close(): void {
    this.response.destroy();
  }

  #events(): ReceivedEvent[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => {
        const fields = new Map(
          block.split('\n').map((line) => {
            const colon = line.indexOf(': ');
            return [line.slice(0, colon), line.slice(colon + 2)] as const;
          }),
        );
        const event = fields.get('event');
        return event === undefined
          ? []
          : [{ event, data: JSON.parse(fields.get('data') ?? 'null') as unknown, id: fields.get('id') }];
      });
  }
}
