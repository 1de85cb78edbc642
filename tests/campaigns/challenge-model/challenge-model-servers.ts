import type { ModelAct, ModelAnswer } from './challenge-model-acts.ts';
import { REALM, REFUSED, SYNC_WINDOW, MAX_FAIL, USERS } from './challenge-model-acts.ts';
import { ChallengeModelServer, type Done } from './challenge-model-server.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { UNSHARED } from '../../../src/storage/database/sharing.ts';
import { queryOnce } from '../../support/database/test-server.ts';

/** Numbers of performed and refused acts, by kind. */
export type ModelTally = Map<string, number>;

/** Rows of challenges, and of decisions in the audit trail, as sorted lines. */
export interface ModelRows {
  readonly challenges: string[];
  readonly decisions: string[];
}

const DEFAULTS = new Map([
  ['OcraMaxChallenges', '4'],
  ['OcraMaxChallengeRequests', '3'],
  ['OcraChallengeTimeout', '1200'],
  ['AutoResync', 'False'],
]);

/**
 * Two servers with one clock on one database, each with connections of its own. Requests share statements in the first.
 */
export class ChallengeModelServers {
  readonly tally: ModelTally = new Map();
  readonly #applications: readonly TestApplication[];
  readonly #servers: readonly ChallengeModelServer[];
  readonly #beginning: Date;
  #runs = 0;

  private constructor(applications: readonly TestApplication[], servers: readonly ChallengeModelServer[]) {
    this.#applications = applications;
    this.#servers = servers;
    this.#beginning = this.#first.clock.now();
  }

  /** @param options of the application, such as a fault */
  static async open(
    options: Parameters<typeof TestApplication.open>[0] = {},
  ): Promise<ChallengeModelServers> {
    const here = await TestApplication.open(options);
    const applications = [here, here.beside(UNSHARED)];
    await here.addRealm(REALM, USERS);
    const windows = { DefaultMaxFailCount: String(MAX_FAIL), DefaultSyncWindow: String(SYNC_WINDOW) };
    await here.services.settings.set(OPERATOR, new Map(Object.entries(windows)));
    const servers = await Promise.all(
      applications.map((application, index) => ChallengeModelServer.listen(application, `model ${index}`)),
    );
    return new ChallengeModelServers(applications, servers);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    for (const application of [...this.#applications].reverse()) {
      await application.close();
    }
  }

  get databaseUrl(): string {
    return this.#first.databaseUrl;
  }

  get #first(): TestApplication {
    const [first] = this.#applications;
    if (first === undefined) {
      throw new Error('There is no server');
    }
    return first;
  }

  /** Removes the state of the last run: tokens, time, and configuration. */
  async begin(): Promise<{ now: number; name: string }> {
    this.#runs += 1;
    this.#first.clock.set(this.#beginning);
    await queryOnce(this.databaseUrl, 'DELETE FROM tokens');
    await this.#first.services.settings.set(OPERATOR, DEFAULTS);
    return { now: this.#beginning.getTime() / 1000, name: `RUN${this.#runs}` };
  }

  perform(act: ModelAct, server: number): Promise<Done> {
    const its = this.#servers[server % this.#servers.length];
    if (its === undefined) {
      throw new Error(`There is no server ${server}`);
    }
    return its.perform(act);
  }

  /** As `perform`, without drawing the QR code of the answer, which is most of the time of an enrolment. */
  async enrol({ serial, suite, key, user }: Extract<ModelAct, { act: 'enrol' }>): Promise<void> {
    await this.#first.enrolPlain(serial, suite, {
      otpkey: key,
      ...(user !== undefined && { user, realm: REALM }),
    });
  }

  count(act: ModelAct, answer: ModelAnswer): void {
    this.add(`${act.act === 'answer' ? act.via : act.act}: ${answer === REFUSED ? 'refused' : 'done'}`);
  }

  add(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  /** @returns challenges, and decisions on responses, of the tokens whose serials have the prefix */
  async rows(prefix: string): Promise<ModelRows> {
    const challenges = await queryOnce<{ row: string }>(
      this.databaseUrl,
      `SELECT transaction_id || ' ' || wrong_count || ' ' || coalesce(closed_by, 'open') AS row FROM challenges`,
    );
    const decisions = await queryOnce<{ row: string }>(
      this.databaseUrl,
      `SELECT subject || ' ' || action || ' ' || outcome AS row FROM audit
       WHERE starts_with(subject, $1) AND (action = 'ocra/check_t' OR action LIKE 'validate/%')
         AND outcome NOT LIKE 'refused: %'`,
      [prefix],
    );
    return {
      challenges: challenges.map(({ row }) => row).sort(),
      decisions: decisions.map(({ row }) => row).sort(),
    };
  }
}
