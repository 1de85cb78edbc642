import { isDeepStrictEqual } from 'node:util';

import { type Database, openDatabase } from '../../../src/database/database.ts';
import { CountModelAnswers } from './count-model-answers.ts';
import { Hand, Lane, LOCK_TIMEOUT } from './count-model-writers.ts';
import { statementFor } from './count-model-writers.ts';
import { HANDS, type Run, type Step } from './count-model-changes.ts';

/** Initial rows, so that the first steps of a run already have objects. */
const BEGINNING = `
  INSERT INTO resolvers (name, kind) VALUES ('people', 'managed'), ('staff', 'managed'), ('file', 'passwd');
  INSERT INTO realms (name) VALUES ('north'), ('south'), ('west');
  INSERT INTO realm_resolvers (realm_id, resolver_id, position)
    SELECT m.id, r.id, row_number() OVER (ORDER BY r.name) FROM realms m, resolvers r;
  INSERT INTO users (resolver_id, login) SELECT id, login FROM resolvers, unnest('{ada,bob}'::text[]) AS login
    WHERE name = 'people' OR (name = 'staff' AND login = 'ada')`;
const CLEARED = {
  // CASCADE: administrators refer to the tokens with which they sign in.
  truncate:
    'TRUNCATE tokens, challenges, imported_tokens, user_sessions, users, realm_resolvers, realms CASCADE',
  delete: 'DELETE FROM users; DELETE FROM tokens; DELETE FROM realms',
} as const;
const REST = "DELETE FROM resolvers; DELETE FROM realm_sets WHERE realm_ids <> '{}'";

interface Writers {
  readonly hands: readonly Lane[];
  /** Folds, as the loop of a server does. */
  readonly folder: Lane;
}

/** Runs the model on a database: several concurrent writers, and answers that are compared at any moment. */
export class CountModel {
  /** The steps that were done. */
  readonly done = new Set<string>();
  readonly #database: Database;
  readonly #answers: CountModelAnswers;
  readonly #hands: readonly Hand[];

  private constructor(database: Database, hands: readonly Hand[]) {
    this.#database = database;
    this.#answers = new CountModelAnswers(database);
    this.#hands = hands;
  }

  /** @param url of a migrated database without tokens, users, resolvers and realms */
  static async open(url: string): Promise<CountModel> {
    const options = `${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c lock_timeout=${LOCK_TIMEOUT}`)}`;
    const database = openDatabase({ connection: `${url}${options}`, applicationName: 'count model' });
    return new CountModel(
      database,
      await Promise.all(Array.from({ length: HANDS }, async () => Hand.connect(url))),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.close()));
    await this.#database.close();
  }

  /** @throws if an answer differs from a recount: in between, at the end, or after everything is removed */
  async run({ steps, endings, clearing }: Run): Promise<void> {
    await this.#database.knex.raw(BEGINNING);
    const writers: Writers = {
      hands: this.#hands.map(() => new Lane()),
      folder: new Lane(),
    };
    const lanes = [...writers.hands, writers.folder];
    try {
      try {
        for (const step of steps) {
          await this.#take(step, writers);
        }
      } finally {
        await this.#end(writers, endings);
        await Promise.all(lanes.map((lane) => lane.rest()));
      }
      lanes.forEach((lane) => {
        lane.assertNothingUnexpected();
      });
      await this.#compare('at the end');
      await this.#database.knex.raw('SELECT fold_counts(1000000)');
      await this.#compare('once folded');
    } finally {
      await this.#clear(clearing);
    }
    await this.#compare('once emptied');
  }

  /** Ends each open transaction. */
  async #end({ hands }: Writers, endings: readonly boolean[]): Promise<void> {
    for (const [index, lane] of hands.entries()) {
      await lane.take(() => this.#hand(index).end(endings[index] === true));
    }
  }

  async #clear(clearing: Run['clearing']): Promise<void> {
    await this.#database.knex.raw(`${CLEARED[clearing]}; ${REST}`);
  }

  async #take(step: Step, { hands, folder }: Writers): Promise<void> {
    switch (step.what) {
      case 'check':
        return this.#compare('in between');
      case 'fold':
        await folder.take(async () => {
          await this.#database.knex.raw('SELECT fold_counts(?)', [step.rows]);
        }, this.#note('fold'));
        return;
      default:
        await hands[step.hand]?.take(() => this.#byHand(step), this.#note(nameOf(step)));
    }
  }

  async #byHand(step: Exclude<Step, { what: 'check' | 'fold' }>): Promise<void> {
    const hand = this.#hand(step.hand);
    switch (step.what) {
      case 'sql':
        return hand.run(statementFor(step.change));
      case 'begin':
        return hand.begin(step.isolation);
      case 'savepoint':
        return hand.savepoint();
      case 'rollback to savepoint':
        return hand.rollBackToSavepoint();
      case 'fold by hand':
        return hand.run({ text: 'SELECT fold_counts($1)', values: [step.rows] });
      case 'commit':
      case 'rollback':
        return hand.end(step.what === 'commit');
    }
  }

  async #compare(when: string): Promise<void> {
    for (const { of, answered, recounted } of await this.#answers.compare()) {
      if (!isDeepStrictEqual(answered, recounted)) {
        throw new Error(
          `${when}, ${of}:\n  answered  ${JSON.stringify(answered)}\n  recounted ${JSON.stringify(recounted)}`,
        );
      }
    }
  }

  #note(name: string): (isDone: boolean) => void {
    return (isDone) => {
      if (isDone) {
        this.done.add(name);
      }
    };
  }

  #hand(index: number): Hand {
    const hand = this.#hands[index];
    if (hand === undefined) {
      throw new Error(`There is no hand ${index}`);
    }
    return hand;
  }
}

function nameOf(step: Step): string {
  return step.what === 'sql' ? `sql: ${step.change.kind}` : step.what;
}
