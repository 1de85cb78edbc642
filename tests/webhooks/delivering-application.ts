import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { ServiceMetrics } from '../../src/observability/metrics.ts';
import { Vault } from '../../src/keys/vault.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { DeliveryStore } from '../../src/webhooks/delivery-store.ts';
import { DeliveryDispatcher, type DispatchLimits } from '../../src/webhooks/delivery-dispatcher.ts';
import { HttpWebhookSender } from '../../src/webhooks/sending/http-sender.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../support/application/test-application.ts';
import { PATIENCE_MS } from '../support/values/until.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

/** A dispatcher of a server of its own: with a pool and connections of its own. */
export class TestDispatcher {
  readonly metrics = new ServiceMetrics({ clock: systemClock });
  readonly logged: string[] = [];
  readonly database: Database;
  readonly store: DeliveryStore;
  #dispatcher: DeliveryDispatcher | undefined;

  constructor(url: string) {
    this.database = openDatabase({ connection: url, applicationName: 'test', poolSize: 2 });
    this.store = new DeliveryStore({ database: this.database });
  }

  /** Starts it with the receivers that there are now. */
  async start(
    limits: Partial<DispatchLimits> = {},
    timeoutMs = PATIENCE_MS,
    pruningTime = (): Date => systemClock.now(),
  ): Promise<this> {
    await this.database.audit.outbox.refresh(this.database.knex);
    const line = (message: string, fields?: object): void => {
      this.logged.push(JSON.stringify({ message, ...fields }));
    };
    this.#dispatcher = new DeliveryDispatcher({
      store: this.store,
      sender: new HttpWebhookSender({ userAgent: 'tankeeper/test', timeoutMs }),
      vault: new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom }),
      clock: systemClock,
      pruningTime: () => Promise.resolve().then(pruningTime),
      random: systemRandom,
      log: { error: line, warn: line, info: line, debug: line },
      metrics: this.metrics.webhooks,
      limits: { poll: 20, upkeepInterval: 50, stopTimeoutMs: 100, ...limits },
    });
    this.#dispatcher.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.#dispatcher?.stop();
    await this.database.close();
  }
}

/** A server whose acts make events. */
export class DeliveringApplication {
  readonly application: TestApplication;
  #serial = 0;

  constructor(application: TestApplication) {
    this.application = application;
  }

  /** Adds a receiver. @returns its secret */
  add(name: string, url: string, more: { events?: string[]; realms?: string[] } = {}): Promise<string> {
    return this.application.services.webhooks.add(OPERATOR, { name, url, ...more });
  }

  async removeAll(): Promise<void> {
    const { webhooks } = this.application.services;
    for (const { name } of await webhooks.list(OPERATOR)) {
      await webhooks.remove(OPERATOR, name);
    }
  }

  /** Enrols a token, in a realm or none. @returns its serial */
  async enrol(more: Record<string, string> = {}): Promise<string> {
    this.#serial += 1;
    const serial = `HOOK${this.#serial}`;
    await this.application.enrolPlain(serial, SUITE, more);
    return serial;
  }

  /** Answers a new challenge of the token. @returns its transaction id */
  async respond(serial: string, how: 'right' | 'wrong'): Promise<string> {
    const { transactionid, question } = await this.application.challenge(serial, 'Pay 100 to Eve');
    const right = this.application.respond(SUITE, question);
    await this.application.check(transactionid, how === 'right' ? right : wrongResponse(right));
    return transactionid;
  }
}
